import { classNames } from './class-names.ts'
import { visibleText } from './visible-text.ts'

/** Text that a peer wrote: shown as text, isolated from its surroundings, nothing in it unseen. */
export function PeerText({ text, className }: { readonly text: string; readonly className?: string }) {
  return <bdi className={classNames('peer-text', className)}>{visibleText(text)}</bdi>
}
