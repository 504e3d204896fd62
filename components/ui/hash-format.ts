const SCHEME = /^(?:sha256:|urn:uuid:)/
const HEAD = 8
const TAIL = 6

/** Splits off a known scheme, so that `sha256:` and `urn:uuid:` are never mistaken for content. */
function splitScheme(value: string): { scheme: string; body: string } {
  const scheme = SCHEME.exec(value)?.[0] ?? ''
  return { scheme, body: value.slice(scheme.length) }
}

/** `sha256:1f2e3d4c…b5a697`: begin and end stay, the scheme of a UUID goes, short values stay whole. */
export function cutInMiddle(value: string): string {
  const { scheme, body } = splitScheme(value)
  const shown = scheme === 'urn:uuid:' ? '' : scheme
  return body.length <= HEAD + TAIL + 1 ? shown + body : `${shown}${body.slice(0, HEAD)}…${body.slice(-TAIL)}`
}

/** `sha256:` and the digits in groups of four, left to right: the one order in dialog, receipt and command line. */
export function groupByFour(value: string): { readonly scheme: string; readonly groups: readonly string[] } {
  const { scheme, body } = splitScheme(value)
  return { scheme, groups: body.match(/.{1,4}/gs) ?? [] }
}
