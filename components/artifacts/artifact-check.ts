import { sha256Hash } from '../../protocol/digest.ts'
import type { Preview } from './preview-kind.ts'
import { classifyPreview } from './preview-kind.ts'

/** What the manifest of an artifact claims about its bytes. */
export interface ArtifactClaim {
  readonly contentHash: string
  readonly sizeBytes: number
  readonly mediaType: string
}

/** Outcome of fetching an artifact and hashing it on this machine. Only `match` vouches for anything. */
export type ArtifactCheck =
  | { readonly state: 'checking' }
  | { readonly state: 'match'; readonly preview: Preview }
  | { readonly state: 'mismatch'; readonly reason: string; readonly actualHash: string }
  | { readonly state: 'unreadable'; readonly reason: string }

/** Compares the bytes with the claim: hash first, then size. */
export function checkArtifact(claim: ArtifactClaim, bytes: Uint8Array): ArtifactCheck {
  const actualHash = sha256Hash(bytes)
  if (actualHash !== claim.contentHash) {
    return { state: 'mismatch', actualHash, reason: 'the bytes have another hash than the one submitted' }
  }
  if (bytes.length !== claim.sizeBytes) {
    return { state: 'mismatch', actualHash, reason: `the manifest says ${claim.sizeBytes} bytes, the content has ${bytes.length}` }
  }
  return { state: 'match', preview: classifyPreview(claim.mediaType, bytes) }
}
