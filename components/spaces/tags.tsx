import { visibleText } from '../ui/visible-text.ts'

const SHOWN = 6

/** Tags of a Space; of very many the first, and how many more there are. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul aria-label="Tags" className="flex min-w-0 flex-wrap gap-1 text-12 text-muted">
      {tags.slice(0, SHOWN).map((tag) => <li key={tag} className="max-w-48 truncate rounded-sm border px-1.5"><bdi>{visibleText(tag)}</bdi></li>)}
      {tags.length > SHOWN && <li title={visibleText(tags.slice(SHOWN).join(', '))}>and {tags.length - SHOWN} more</li>}
    </ul>
  )
}
