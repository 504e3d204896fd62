/**
 * Whether two elements are equal as JSON values; the order of object members is irrelevant (G-9).
 *
 * Expected linear time: a validator that compares elements pair by pair lets one long array of a peer's occupy the
 * event loop for seconds.
 */
export function hasDuplicates(items: readonly unknown[]): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const key = valueKey(item)
    if (seen.has(key)) return true
    seen.add(key)
  }
  return false
}

/** A text that two JSON values share exactly when they are equal. */
function valueKey(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(valueKey).join(',')}]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${valueKey(member)}`)
  return `{${members.sort().join(',')}}`
}
