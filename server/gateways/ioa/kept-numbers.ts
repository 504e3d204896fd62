// Numbers that a signed document cannot keep: RFC 8785 writes each as the binary64 nearest to it.

const scalar = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The first number of this JSON text that would come out as another one; undefined where all are kept. */
export function lostNumber(json: string): string | undefined {
  for (const [token] of json.matchAll(scalar)) if (!token.startsWith('"') && valueOf(token) !== valueOf(String(Number(token)))) return token
  return undefined
}

/** One text for one value: its digits without zeros at either end, and the power of ten of the last one. */
function valueOf(token: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(token) ?? []
  if (sign === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.slice(0, lastDigitOf(digits) + 1)
  return significant === '' ? '0' : `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

function lastDigitOf(digits: string): number {
  let last = digits.length - 1
  while (digits[last] === '0') last--
  return last
}
