import { randomUUID } from 'node:crypto'
import { prepareCandidate } from '../../protocol/admission.ts'
import type { FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import { signingHash } from '../../protocol/signed-documents.ts'
import type { SignedEvent } from './event-bytes.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import { serviceKey } from './organization-keys.ts'

/**
 * First-Admission Record of an Event that leaves the Organization inside a receipt, so that its reader can tell when it
 * was accepted. Other Events are read from the authority's own log and need none.
 */
export function eventAdmission({ event, signingBytes }: SignedEvent, organization: OrganizationKeys): FirstAdmissionRecord | undefined {
  if (event.kind !== 'mission.approved') return undefined
  const { organizationId, authority } = organization
  const subject = { kind: 'event' as const, organizationId, signingHash: signingHash(signingBytes), keyId: authority.keyId, principal: authority.principal, binding: serviceKey(organization, authority) }
  const record = prepareCandidate(subject, { admissionRecordId: `urn:uuid:${randomUUID()}`, trustedAcceptedAt: event.occurredAt, acceptedBy: authority.principal })
  invariant(record.ok, 'the authority signed outside the validity of its own key')
  return record.value
}
