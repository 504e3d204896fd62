// JSON texts whose numbers are to be shown: what binary64 cannot hold is shown by its digits.
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
/** Every decimal of so many significant digits comes back from binary64 as it was. */
const safeDigits = 15

/** The same JSON text with every number that parsing would change turned into a string of its digits. */
export function withExactNumbers(json: string): string {
  return json.replace(tokens, (token) => (token.startsWith('"') || isKept(token) ? token : `"${token}"`))
}

function isKept(number: string): boolean {
  const value = Number(number)
  if (!Number.isFinite(value)) return false
  const digits = number.replace(/[eE].*/, '').replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length <= safeDigits || String(value) === number
}
