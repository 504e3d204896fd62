import { Check, CircleX, LoaderCircle } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { HashText } from '../ui/hash-text.tsx'
import type { CheckedArtifact } from './use-artifact-check.ts'

/** The whole hash in groups of four, and whether the bytes fetched here have it. Green is for signatures, so a match is ink. */
export function HashVerdict({ contentHash, checked }: { readonly contentHash: string; readonly checked: CheckedArtifact }) {
  const { check, again } = checked
  return (
    <div className="grid justify-items-start gap-1">
      <HashText grouped value={contentHash} label="SHA-256 of the content" />
      {check.state === 'checking' && (
        <p className="inline-flex items-center gap-1.5 text-13 text-muted"><LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" />Fetching and hashing here</p>
      )}
      {check.state === 'match' && <p className="inline-flex items-center gap-1.5 text-13"><Check aria-hidden className="size-4" />Recomputed here: matches</p>}
      {(check.state === 'mismatch' || check.state === 'unreadable') && (
        <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-fail">
          <span className="inline-flex items-center gap-1.5 font-medium">
            <CircleX aria-hidden className="size-4 shrink-0" />
            {check.state === 'mismatch' ? 'Does not match' : 'Cannot be read'}: {check.reason}
          </span>
          {check.state === 'mismatch' && check.actualHash !== contentHash && <HashText grouped value={check.actualHash} label="Hash of the bytes received" />}
          <Button onClick={again}>Try again</Button>
        </div>
      )}
    </div>
  )
}
