/** At most `limit` code points on one line; the cut is shown as an ellipsis. */
export function shorten(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const points = [...line]
  return points.length <= limit ? line : `${points.slice(0, limit - 1).join('')}…`
}
