// Text that a database can hold. JSON may spell more than that: U+0000, and halves of surrogate pairs.

/** What of a text from the log can be stored: U+0000 becomes U+FFFD. The log keeps the original. */
export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD')

/** Whether every text in a JSON value can be stored as it is. The doors refuse what cannot, once, before anything is done with it. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member))
}
