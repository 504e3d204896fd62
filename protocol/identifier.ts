const NOT_A_URI_CHARACTER = /[^A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]/
const BROKEN_PERCENT_ENCODING = /%(?![0-9A-Fa-f]{2})/
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/
const BRACKET = /[[\]]/
const GENERAL_DELIMITER_IN_AUTHORITY = /[[\]@]/
const PORT = /^(?::[0-9]*)?$/
const H16 = /^[0-9A-Fa-f]{1,4}$/
const DECIMAL_OCTET = /^(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/
const IP_FUTURE = /^[Vv][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/

/** What nearly all identifiers are, and a URI. */
const URN_OF_UUID = /^urn:uuid:[0-9a-f-]{36}$/

const IDENTIFIER_MAX_LENGTH = 512

/** Whether `text` is a MissionWeaveProtocol `id`: an RFC 3986 `URI` of at most 512 characters. */
export function isIdentifier(text: string): boolean {
  return text.length <= IDENTIFIER_MAX_LENGTH && isUri(text)
}

/**
 * Whether `text` matches the `URI` production of RFC 3986 (section 3): a scheme is mandatory, the rest may be empty.
 *
 * Takes linear time for any input: every expression here looks at one character at a time or is anchored over
 * disjoint classes, so a peer cannot buy backtracking with a long string.
 */
export function isUri(text: string): boolean {
  if (URN_OF_UUID.test(text)) return true
  if (NOT_A_URI_CHARACTER.test(text) || BROKEN_PERCENT_ENCODING.test(text)) return false
  const scheme = SCHEME.exec(text)
  if (scheme === null) return false

  const [beforeFragment, fragment] = splitAtFirst(text.slice(scheme[0].length), '#')
  if (fragment.includes('#') || BRACKET.test(fragment)) return false
  const [hierarchy, query] = splitAtFirst(beforeFragment, '?')
  if (BRACKET.test(query)) return false

  if (!hierarchy.startsWith('//')) return !BRACKET.test(hierarchy)
  const [authority, path] = splitAtFirst(hierarchy.slice(2), '/')
  return isAuthority(authority) && !BRACKET.test(path)
}

/** RFC 3986 section 3.2: `[ userinfo "@" ] host [ ":" port ]`; the characters are already known to be legal. */
function isAuthority(authority: string): boolean {
  const at = authority.indexOf('@')
  if (at !== -1 && BRACKET.test(authority.slice(0, at))) return false
  const hostAndPort = authority.slice(at + 1)
  if (hostAndPort.startsWith('[')) {
    const close = hostAndPort.indexOf(']')
    return close !== -1 && isIpLiteral(hostAndPort.slice(1, close)) && PORT.test(hostAndPort.slice(close + 1))
  }
  if (GENERAL_DELIMITER_IN_AUTHORITY.test(hostAndPort)) return false
  const colon = hostAndPort.indexOf(':')
  return colon === -1 || PORT.test(hostAndPort.slice(colon))
}

function isIpLiteral(literal: string): boolean {
  return IP_FUTURE.test(literal) || isIpv6Address(literal)
}

/**
 * RFC 3986 section 3.2.2. Its nine alternatives come to one rule: eight groups, or at most seven around a single
 * `::`, where a dotted IPv4 address may stand for the last two.
 */
function isIpv6Address(address: string): boolean {
  const elision = address.indexOf('::')
  if (elision === -1) return countGroups(address, true) === 8
  const head = address.slice(0, elision)
  const tail = address.slice(elision + 2)
  const groups = (head === '' ? 0 : countGroups(head, false)) + (tail === '' ? 0 : countGroups(tail, true))
  return groups <= 7
}

/** The number of 16-bit groups in a colon-separated run, or `NaN` when one of them is malformed. */
function countGroups(run: string, mayEndInIpv4: boolean): number {
  const groups = run.split(':')
  const last = groups.at(-1) ?? ''
  if (mayEndInIpv4 && isIpv4Address(last)) {
    return groups.slice(0, -1).every((group) => H16.test(group)) ? groups.length + 1 : NaN
  }
  return groups.every((group) => H16.test(group)) ? groups.length : NaN
}

function isIpv4Address(address: string): boolean {
  const octets = address.split('.')
  return octets.length === 4 && octets.every((octet) => DECIMAL_OCTET.test(octet))
}

function splitAtFirst(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator)
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}
