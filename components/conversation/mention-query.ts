/** The `@word` that is being written right before the caret. */
export interface MentionQuery {
  /** Position of the `@`. */
  readonly start: number
  readonly query: string
}

const OPEN_MENTION = /(?:^|[\s(])@([^\s@]{0,40})$/

/** The mention under the caret, if one is being written. */
export function findMentionQuery(text: string, caret: number): MentionQuery | undefined {
  const before = text.slice(0, caret)
  const found = OPEN_MENTION.exec(before)
  return found ? { start: before.length - found[1]!.length - 1, query: found[1]! } : undefined
}

/** The text with the mention written out, and the caret after it. */
export function completeMention(text: string, caret: number, mention: MentionQuery, name: string): { readonly text: string; readonly caret: number } {
  const inserted = `@${name} `
  return { text: text.slice(0, mention.start) + inserted + text.slice(caret).replace(/^ /, ''), caret: mention.start + inserted.length }
}

/** Participants whose name has a word that begins with the query; all of them for an empty query. */
export function matchingNames<T extends { readonly name: string }>(people: readonly T[], query: string): readonly T[] {
  const wanted = query.toLocaleLowerCase()
  return people.filter(({ name }) => name.toLocaleLowerCase().split(/\s+/).some((word) => word.startsWith(wanted)))
}
