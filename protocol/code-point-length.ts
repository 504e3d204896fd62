/** Without one there is no pair, as in nearly every text. */
const HIGH_SURROGATE = /[\ud800-\udbff]/

/** The length of `text` in Unicode code points (G-6); an unpaired surrogate counts as one. */
export function codePointLength(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length
  let length = text.length
  for (let index = 1; index < text.length; index += 1) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) length -= 1
  }
  return length
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
