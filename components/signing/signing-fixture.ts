// Documents and keys for the tests of this folder.
import { encodeBase64url } from '../../protocol/base64url.ts'
import { publicKeyOf, signBytes } from '../../protocol/ed25519-sign.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { signDocument } from '../../protocol/signed-documents.ts'
import { encodeCommand, type CommandDraft, type CommandStamp } from './command.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import type { AuthorityKey } from './verify-event.ts'

const urn = (digit: string) => `urn:uuid:${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`

export const ORIGIN = 'http://localhost:4310'
export const IDS = { action: urn('a'), me: urn('b'), group: urn('c'), mission: urn('d'), coordinator: urn('e'), event: urn('f'), authority: urn('1'), authorityKey: urn('2'), myKey: urn('3') }
export const STAMP: CommandStamp = { actionId: IDS.action, principalId: IDS.me, issuedAt: '2026-11-29T12:00:00.000Z' }

const authoritySeed = new Uint8Array(32).fill(7)
export const AUTHORITY: AuthorityKey = {
  principal: { type: 'service', id: IDS.authority },
  keyId: IDS.authorityKey,
  publicKey: encodeBase64url(publicKeyOf(authoritySeed)),
}

export const createDraft: CommandDraft = {
  kind: 'mission.create',
  groupId: IDS.group,
  payload: {
    missionId: IDS.mission,
    groupId: IDS.group,
    title: 'Release review',
    coordinatorAgentId: IDS.coordinator,
    objective: 'Review the release.',
    definitionOfDone: [{ criterionId: 'links', description: 'Every link works.', evidenceRequired: ['deterministic_test'] }],
    budget: { currency: 'EUR', financialLimit: 50 },
    deadline: '2026-11-30T12:00:00.000Z',
    approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false },
  },
}

export const approveDraft: CommandDraft = {
  kind: 'mission.approve',
  groupId: IDS.group,
  membershipEpoch: 1,
  expectedRevision: 17,
  payload: ({ issuedAt, principalId }: CommandStamp) => ({
    approval: {
      approvalId: IDS.event,
      kind: 'mission_final',
      decision: 'approved',
      missionId: IDS.mission,
      groupId: IDS.group,
      missionRevision: 17,
      artifactHashes: [`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`],
      acceptancePolicyVersion: '1.0.0',
      approver: { type: 'human', id: principalId },
      comments: '',
      conditions: [],
      occurredAt: issuedAt,
    },
  }),
}

export const postDraft: CommandDraft = {
  kind: 'message.post',
  groupId: IDS.group,
  membershipEpoch: 1,
  payload: { messageId: IDS.event, content: [{ type: 'text', text: 'Hello' }] },
}

export const bytesOf = (draft: CommandDraft): Uint8Array => encodeCommand(draft, STAMP)

/** The authority's Event in answer to a Command. */
export async function answerTo(command: { readonly actionId: string; readonly signingHash: string }): Promise<EventDocument> {
  const event = {
    protocolVersion: '0.1' as const,
    eventId: IDS.event,
    groupId: IDS.group,
    sequence: 1,
    aggregateRevision: 1,
    kind: 'mission.created' as const,
    actor: { type: 'human' as const, id: IDS.me },
    cause: { type: 'command' as const, id: command.actionId },
    correlationId: command.actionId,
    occurredAt: '2026-11-29T12:00:01.000Z',
    payload: { title: 'Release review' },
    acceptedBy: { type: 'service' as const, id: IDS.authority },
    commandHash: command.signingHash,
  }
  return signDocument(event, 'occurredAt', AUTHORITY.keyId, (bytes) => signBytes(authoritySeed, bytes))
}

/** A store without a browser. */
export function memoryKeyStore(): KeyStore {
  const keys = new Map<string, StoredKey>()
  return {
    list: async () => [...keys.values()],
    find: async (publicKey) => keys.get(publicKey),
    put: async (key) => void keys.set(key.publicKey, structuredClone(key)),
    remove: async (publicKey) => void keys.delete(publicKey),
  }
}
