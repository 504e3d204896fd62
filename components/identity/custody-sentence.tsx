import { Notice } from '../ui/notice.tsx'
import type { ProbeOutcome } from '../signing/signer.ts'

/** Where the keys will live, in one sentence, as the probe found it. */
export function CustodySentence({ probe }: { readonly probe: ProbeOutcome | undefined }) {
  if (probe === undefined) return <p className="text-13 text-muted">Trying out how this browser can keep a key.</p>
  switch (probe.custody) {
    case 'not-extractable':
      return <p className="text-13 text-muted">Your keys are made in this browser and never leave it: not to this server, not to you, not to a copy.</p>
    case 'passphrase':
      return (
        <Notice tone="wait" title="This browser keeps keys in the weaker way">
          {probe.reason === 'ed25519-missing' ? 'It cannot make Ed25519 keys.' : 'It can make Ed25519 keys but not store them.'} Your keys will be encrypted under a passphrase that you choose. A current Chrome, Firefox or Safari does better.
        </Notice>
      )
    case 'none':
      return (
        <Notice tone="fail" title="This browser cannot keep keys here">
          {probe.reason === 'insecure-context' ? 'The page was opened without encryption. Open it by https, or on the server itself by localhost.' : 'It refuses storage to this site. Leave private browsing, or allow this site to store data.'}
        </Notice>
      )
  }
}
