import type { Evidence } from '../protocol/generated/types.ts'
import type { Identity } from './identity.ts'
import { newId, timeNow } from './ids.ts'

/** What a Principal found out about criteria of a WorkItem. */
export type EvidenceDescription = Omit<Evidence, 'evidenceId' | 'generatedBy' | 'createdAt' | 'signature'>

/** Signed Evidence of this Principal. */
export function signEvidence(identity: Identity, description: EvidenceDescription): Promise<Evidence> {
  const evidence: Omit<Evidence, 'signature'> = {
    ...description,
    evidenceId: newId(),
    generatedBy: identity.principal,
    createdAt: timeNow(),
  }
  return identity.signDocument(evidence, 'createdAt')
}
