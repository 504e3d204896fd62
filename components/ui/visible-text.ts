// Characters that steer the display instead of showing: C0 and C1 controls but tab and line feed, soft hyphen, zero-width
// characters, line and paragraph separators, bidi controls, invisible operators, byte order mark, tag characters.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu
const BLANK_LINES = /\n(?:[ \t]*\n){3,}/g

/** A peer's text with every unseen character written out, and long runs of blank lines counted instead of shown. */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSEEN, (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`)
    .replace(BLANK_LINES, (run) => `\n⟨${run.split('\n').length - 2} blank lines⟩\n`)
}
