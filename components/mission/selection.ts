/** What is selected in a Mission, whichever tab shows it. */
export type Selection =
  | { readonly type: 'entry'; readonly sequence: number }
  | { readonly type: 'artifact'; readonly contentHash: string }
  /** A WorkItem or a participant, by id. */
  | { readonly type: 'id'; readonly id: string }

const SEQUENCE = /^[1-9]\d{0,15}$/
const CONTENT_HASH = /^sha256:[0-9a-f]{64}$/

/** Reads the `sel` parameter of the address; anything that is neither sequence nor hash is taken as an id. */
export function parseSelection(text: string | null): Selection | undefined {
  if (text === null || text === '') return undefined
  if (SEQUENCE.test(text)) return { type: 'entry', sequence: Number(text) }
  if (CONTENT_HASH.test(text)) return { type: 'artifact', contentHash: text }
  return { type: 'id', id: text }
}

/** The address with another selection, everything else kept. */
export function withSelection(href: string, text: string | undefined): string {
  const url = new URL(href)
  if (text === undefined) url.searchParams.delete('sel')
  else url.searchParams.set('sel', text)
  return url.pathname + url.search + url.hash
}
