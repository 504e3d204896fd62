import Link from 'next/link'
import { CUSTODY_WORDS } from '../signing/signer.ts'
import { HashText } from '../ui/hash-text.tsx'
import { Notice } from '../ui/notice.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { SigningKeyState } from './use-signing-key.ts'

/** The key that would sign: its id, fingerprint, person and validity, as the Registry has them. */
export function SigningKeyFacts({ state }: { readonly state: SigningKeyState }) {
  const { key, obstacle } = state
  return (
    <div className="grid gap-3 py-3">
      {obstacle !== undefined && <Notice tone="wait" title={obstacle} action={<Link href="/keys" className="text-action">Keys</Link>} />}
      {key && (
        <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[9rem_minmax(0,1fr)]">
          <dt className="text-13">Key</dt>
          <dd><bdi className="font-medium">{visibleText(key.held.label)}</bdi> ({CUSTODY_WORDS[key.held.custody]})</dd>
          <dt className="text-13">Bound to</dt>
          <dd><bdi>{visibleText(key.held.binding?.personName ?? '')}</bdi></dd>
          <dt className="text-13">Key id</dt>
          <dd><HashText value={key.registered.keyId} label="Key id" /></dd>
          <dt className="text-13">Fingerprint</dt>
          <dd><HashText grouped value={key.registered.fingerprint} label="Fingerprint of the public key" /></dd>
          <dt className="text-13">Valid</dt>
          <dd>from {absoluteTime(key.registered.validFrom)}{key.registered.revokedAt === undefined ? ', not revoked' : `, revoked ${absoluteTime(key.registered.revokedAt)}`}</dd>
        </dl>
      )}
    </div>
  )
}
