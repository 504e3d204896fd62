// Commands as they are once six-stage verification is behind them. No signature is made or checked here: signatures have
// their own tests (protocol/verify-document.test.ts, server/service/command-path.test.ts), and they would be all that the time went into.
import { encodeCanonical } from '../../../protocol/canonical-json.ts'
import { sha256Hash } from '../../../protocol/digest.ts'
import type { Actor, AgentCard, Approval, Artifact, Command, Evidence, GroupSnapshot } from '../../../protocol/generated/types.ts'
import { AGENT_CARD_REGISTER } from '../../../protocol/kinds.ts'
import type { DocumentKind, SignedDocument } from '../../../protocol/signed-documents.ts'
import type { VerifiedDocument } from '../../../protocol/verify-document.ts'
import type { VerifiedCommand } from '../../authority/types.ts'
import type { AdmissibleCommand } from '../../service/space-fold.ts'
import { organizationId, registry, urnOf } from '../cast.ts'

const keyId = urnOf('key')
const noKey = new Uint8Array(32)
/** Before any time that a document of the tests may bear. */
const validFrom = '2026-01-01T00:00:00.000Z'

/** The Command as the command path hands it to a Space, with the Signed Documents inside it. */
export function admissible({ command, keyUse, signingHash, source }: VerifiedCommand): AdmissibleCommand {
  return { document: documentOf('command', command, command.actor, signingHash), keyUse, nested: nestedIn(command), ...(source && { source }) }
}

function documentOf<K extends DocumentKind>(kind: K, value: SignedDocument<K>, principal: Actor, knownHash?: string): VerifiedDocument<K> {
  const { signature: _signature, ...signed } = value as SignedDocument<K> & { signature: unknown }
  const signingBytes = encodeCanonical(signed)
  const binding = { keyId, principal, algorithm: 'Ed25519', publicKey: 'A'.repeat(43), validFrom, history: [] } as const
  return { kind, value, bytes: signingBytes, signingBytes, signingHash: knownHash ?? sha256Hash(signingBytes), organizationId, keyId, principal, publicKey: noKey, protectedTime: validFrom, binding }
}

function nestedIn({ kind, payload }: Command): VerifiedDocument[] {
  const { approval, artifact, evidence, card, snapshot } = payload as { snapshot?: GroupSnapshot; approval?: Approval; artifact?: Artifact; evidence?: Evidence[]; card?: AgentCard }
  if (approval) return [documentOf('approval', approval, approval.approver)]
  if (artifact) return [documentOf('artifact', artifact, { type: 'agent', id: artifact.producer.agentId })]
  if (snapshot) return [documentOf('group-snapshot', snapshot, snapshot.createdBy)]
  if (kind === AGENT_CARD_REGISTER && card) return [documentOf('agent-card', card, registry)]
  return (evidence ?? []).map((document) => documentOf('evidence', document, document.generatedBy))
}
