// A gapless run of something that is paged by sequence (Events, Messages, graph nodes): it catches up with the head and
// grows into the past, page by page.

export interface Span {
  /** Lowest and highest sequence held; absent when nothing is. */
  readonly first?: number | undefined
  readonly last?: number | undefined
  readonly hasOlder: boolean
}

export interface RunSource<S, P> {
  readonly empty: S
  /** Pages may overlap what is held; they never leave a gap. */
  readonly join: (held: S, page: P) => S
  readonly spanOf: (held: S) => Span
  readonly spanOfPage: (page: P) => Span
  /** The newest page, or the newest one below `before`. */
  readonly load: (before: number | undefined) => Promise<P>
}

/** Beyond so many pages between what is held and the head, the run starts over at the head. */
const MAX_CATCH_UP_PAGES = 8

/**
 * Loads what is missing between the run and the head. `held` is read again after loading, so that pages joined in the
 * meantime stay.
 */
export async function catchUp<S, P>(source: RunSource<S, P>, held: () => S): Promise<S> {
  const reached = source.spanOf(held()).last
  const pages = [await source.load(undefined)]
  for (let span = source.spanOfPage(pages[0]!); !meets(span, reached); span = source.spanOfPage(pages.at(-1)!)) {
    if (pages.length === MAX_CATCH_UP_PAGES) return source.join(source.empty, pages[0]!)
    pages.push(await source.load(span.first))
  }
  return pages.reduceRight(source.join, held())
}

/** Adds the page below the run. */
export async function reachBack<S, P>(source: RunSource<S, P>, held: () => S): Promise<S> {
  const page = await source.load(source.spanOf(held()).first)
  return source.join(held(), page)
}

const meets = ({ first, hasOlder }: Span, reached: number | undefined): boolean =>
  reached === undefined || !hasOlder || first === undefined || first <= reached + 1

/** A run of plain entries, ascending. */
export interface EntryRun<T> {
  readonly entries: readonly T[]
  readonly hasOlder: boolean
}

/** Source of a run of plain entries. */
export function entrySource<T extends { readonly sequence: number }>(load: (before: number | undefined) => Promise<EntryRun<T>>): RunSource<EntryRun<T>, EntryRun<T>> {
  const spanOf = ({ entries, hasOlder }: EntryRun<T>): Span => ({ first: entries[0]?.sequence, last: entries.at(-1)?.sequence, hasOlder })
  return { empty: { entries: [], hasOlder: false }, join: joinEntries, spanOf, spanOfPage: spanOf, load }
}

function joinEntries<T extends { readonly sequence: number }>(held: EntryRun<T>, page: EntryRun<T>): EntryRun<T> {
  // What was read last counts: a Message may say something else by now.
  const renewed = new Set(page.entries.map((entry) => entry.sequence))
  const kept = held.entries.filter((entry) => !renewed.has(entry.sequence))
  const reachesFurtherBack = (page.entries[0]?.sequence ?? Infinity) <= (held.entries[0]?.sequence ?? Infinity)
  return {
    entries: [...kept, ...page.entries].sort((a, b) => a.sequence - b.sequence),
    hasOlder: reachesFurtherBack ? page.hasOlder : held.hasOlder,
  }
}
