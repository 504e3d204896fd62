// Signed Documents that travel inside a Command. Each has to stand by itself: six stages, and later its own admission.
import type { Command } from '../../protocol/generated/types.ts'
import type { KeyResolver } from '../../protocol/key-registry.ts'
import { AGENT_CARD_REGISTER, GROUP_ARCHIVE, MISSION_RECONCILE, MISSION_ROOT_DECIDE, PROFILE_APPROVE } from '../../protocol/kinds.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { DocumentKind } from '../../protocol/signed-documents.ts'
import type { JsonValue } from '../../protocol/strict-json.ts'
import type { SignatureVerifier, VerificationFailure, VerifiedDocument } from '../../protocol/verify-document.ts'
import { verifyParsedDocument } from '../../protocol/verify-document.ts'

interface Place { readonly kind: DocumentKind; readonly members: readonly string[] }

const places: Readonly<Record<string, Place>> = {
  'mission.approve': { kind: 'approval', members: ['approval', 'rootApproval'] },
  'mission.request_changes': { kind: 'approval', members: ['approval'] },
  [MISSION_ROOT_DECIDE]: { kind: 'approval', members: ['approval'] },
  'approval.grant_execution': { kind: 'approval', members: ['approval'] },
  'artifact.publish': { kind: 'artifact', members: ['artifact'] },
  'work.offer': { kind: 'context-package', members: ['contextPackage'] },
  [MISSION_RECONCILE]: { kind: 'context-package', members: ['contextPackage'] },
  'work.submit': { kind: 'evidence', members: ['evidence'] },
  'work.accept_result': { kind: 'evidence', members: ['evidence'] },
  'work.fail': { kind: 'evidence', members: ['evidence'] },
  [GROUP_ARCHIVE]: { kind: 'group-snapshot', members: ['snapshot'] },
  [PROFILE_APPROVE]: { kind: 'extension-profile', members: ['profile'] },
  [AGENT_CARD_REGISTER]: { kind: 'agent-card', members: ['card'] },
}

/** Documents in one Command. */
const maximumDocuments = 64
/** Verified side by side, so that a failure, which is slow to explain, costs its sender's next ones only. */
const sideBySide = 4

/** The Signed Documents in a payload, as values. */
export function nestedDocumentsOf({ kind, payload }: Pick<Command, 'kind' | 'payload'>): readonly JsonValue[] {
  return (places[kind]?.members ?? []).flatMap((member) => (payload[member] ?? []) as JsonValue | JsonValue[])
}

/** Verifies the Signed Documents in a payload that has passed its schema; the first failure counts and ends the work. */
export async function verifyNestedDocuments(
  command: Command,
  registry: KeyResolver,
  verifySignature: SignatureVerifier,
): Promise<Result<readonly VerifiedDocument[], VerificationFailure>> {
  const place = places[command.kind]
  if (place === undefined) return ok([])
  const values = nestedDocumentsOf(command)
  if (values.length > maximumDocuments) return err(tooMany(place.members[0] ?? ''))
  const verified: VerifiedDocument[] = []
  for (let from = 0; from < values.length; from += sideBySide) {
    const verifications = values.slice(from, from + sideBySide).map((value) => verifyParsedDocument({ kind: place.kind, value, registry, verifySignature }))
    for (const result of await Promise.all(verifications)) {
      if (!result.ok) return result
      verified.push(result.value)
    }
  }
  return ok(verified)
}

function tooMany(member: string): VerificationFailure {
  const schemaFault = { path: `/payload/${member}`, keyword: 'maxItems', message: `must NOT have more than ${maximumDocuments} items` }
  return { stage: 'schema', code: 'SCHEMA_VALIDATION_FAILED', reason: 'too-many-documents', schemaFault }
}
