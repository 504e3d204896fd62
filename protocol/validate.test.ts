import { describe, expect, test } from 'vitest'
import { exampleDocuments } from './testing/example-documents.ts'
import { ABSENT, withChanges } from './testing/with-changes.ts'
import type { ObjectName } from './validate.ts'
import { validateDocument } from './validate.ts'

type Verdict = 'accept' | 'refuse'
type Case = [rule: string, name: ObjectName, verdict: Verdict, changes: Record<string, unknown>]

const objectNames = Object.keys(exampleDocuments) as ObjectName[]
const agent = { type: 'agent', id: 'urn:example:agent-1' }
const human = { type: 'human', id: 'urn:example:owner' }
const service = { type: 'service', id: 'urn:example:authority' }
const id = 'urn:example:x'
const at = '2026-07-15T08:00:00Z'
const hash = `sha256:${'a'.repeat(64)}`
const uuid = 'urn:uuid:00000000-0000-4000-8000-000000000001'

const agentCommand = (kind: string, changes: Record<string, unknown> = {}) => ({ kind, ...changes })
const humanCommand = (kind: string, changes: Record<string, unknown> = {}) => ({
  kind,
  actor: human,
  sessionEpoch: ABSENT,
  ...changes,
})
const serviceCommand = (kind: string, changes: Record<string, unknown> = {}) => ({
  kind,
  actor: service,
  sessionEpoch: ABSENT,
  membershipEpoch: ABSENT,
  ...changes,
})
const organizationEvent = (changes: Record<string, unknown> = {}) => ({
  kind: 'ext.missionweaveprotocol.identity.session_opened',
  actor: service,
  groupId: ABSENT,
  sequence: ABSENT,
  aggregateRevision: ABSENT,
  ...changes,
})
const lease = (leaseType: string, changes: Record<string, unknown> = {}) => ({
  leaseType,
  startBy: ABSENT,
  ...changes,
})
const frame = (frameType: string, members: Record<string, unknown>) => ({
  frameType,
  subscriptionId: ABSENT,
  groups: ABSENT,
  ...members,
})
const hello = (phase: string, members: Record<string, unknown>) => frame('HELLO', { phase, ...members })

/** Dotted prefixes of every object in `value` that its schema closes, the root included. */
function closedObjects(value: unknown, prefix = ''): string[] {
  const isOpen = /\b(constraints|details|payload)\.$/.test(prefix)
  if (typeof value !== 'object' || value === null || isOpen) return []
  const below = Object.entries(value).flatMap(([name, member]) => closedObjects(member, `${prefix}${name}.`))
  return Array.isArray(value) ? below : [prefix, ...below]
}

function expectVerdict(name: ObjectName, verdict: Verdict, changes: Record<string, unknown>): void {
  const fault = validateDocument(name, withChanges(exampleDocuments[name], changes))
  if (verdict === 'accept') expect(fault).toBeUndefined()
  else expect(fault).toBeDefined()
}

describe('every object', () => {
  test.each(objectNames)('%s: the example is accepted (A-279)', (name) => {
    expect(validateDocument(name, exampleDocuments[name])).toBeUndefined()
  })

  test.each(objectNames.flatMap((name) => closedObjects(exampleDocuments[name]).map((path) => [name, path] as const)))(
    '%s: an unknown member is refused (G-1, A-279) at /%s',
    (name, path) => {
      expectVerdict(name, 'refuse', { [`${path}unknownMember`]: true })
    },
  )

  test.each(
    objectNames.flatMap((name) => Object.keys(exampleDocuments[name]).map((member) => [name, member] as const)),
  )('%s: null is no value for %s (G-3)', (name, member) => {
    expectVerdict(name, 'refuse', { [member]: null })
  })

  test.each(objectNames)('%s: anything but an object is refused', (name) => {
    for (const value of [null, [], 'text', 1, true]) expect(validateDocument(name, value)).toBeDefined()
  })
})

describe('verdict table', () => {
  const cases: Case[] = [
    ['V-1', 'command', 'accept', { actionId: 'example:' }],
    ['V-2', 'command', 'refuse', { actionId: `${uuid}\n` }],
    ['V-3', 'command', 'refuse', { actionId: 'actions/submit' }],
    ['V-4', 'command', 'refuse', { actionId: 'https://exämple.org/a' }],
    ['V-5', 'command', 'refuse', { actionId: 'urn:example:%GG' }],
    ['V-6', 'command', 'refuse', { actionId: `urn:x:${'a'.repeat(507)}` }],
    ['V-6', 'command', 'accept', { actionId: `urn:x:${'a'.repeat(506)}` }],
    ['V-6', 'artifact', 'accept', { uri: `urn:x:${'a'.repeat(507)}` }],
    ['V-7', 'artifact', 'refuse', { contentHash: `sha256:${'A'.repeat(64)}` }],
    ['V-8', 'event', 'refuse', { sequence: 0 }],
    ['V-9', 'event', 'accept', { sequence: JSON.parse('1.0') }],
    ['V-10', 'event', 'refuse', { sequence: 9007199254740992 }],
    ['V-10', 'event', 'accept', { sequence: 9007199254740991 }],
    ['V-11', 'mission', 'refuse', { budget: { financialLimit: 5 } }],
    ['V-12', 'mission', 'accept', { budget: { toolCallLimit: 0 } }],
    ['V-13', 'command', 'refuse', humanCommand('mission.approve', { membershipEpoch: ABSENT })],
    ['V-14', 'command', 'refuse', humanCommand('mission.create')],
    ['V-15', 'command', 'accept', humanCommand('ext.acme.tools.run')],
    ['V-16', 'command', 'accept', serviceCommand('mission.cancel')],
    ['V-17', 'command', 'refuse', serviceCommand('work.accept_result')],
    ['V-18', 'command', 'refuse', humanCommand('mission.terminate')],
    ['V-19', 'command', 'accept', humanCommand('mission.approve', { coordinatorEpoch: 1 })],
    ['V-20', 'command', 'refuse', agentCommand('ext.acme.tool')],
    ['V-21', 'command', 'accept', agentCommand('ext.9acme.a-b.run')],
    ['V-21', 'websocket-frame', 'refuse', { 'groups.0.attention.eventKinds': ['ext.9acme.a-b.run'] }],
    ['V-22', 'event', 'refuse', organizationEvent({ groupId: id })],
    ['V-23', 'event', 'refuse', { kind: 'work.paused' }],
    ['V-24', 'approval', 'accept', { decision: 'denied', artifactHashes: [] }],
    ['V-25', 'approval', 'refuse', { kind: 'work_execution' }],
    ['V-26', 'lease', 'refuse', { state: 'released', closedAt: at, closureReason: '   ' }],
    ['V-27', 'lease', 'refuse', lease('execution', { graceExpiresAt: at })],
    ['V-27', 'lease', 'accept', lease('blocked', { graceExpiresAt: at })],
    ['V-28', 'mission', 'refuse', { parent: { missionId: id, workItemId: id, depth: 1 } }],
    ['V-29', 'message', 'accept', { content: [{ type: 'data_ref', schema: 'urn:x:y', data: null }] }],
    ['V-30', 'message', 'refuse', { authority: 0 }],
    ['V-31', 'conversation', 'accept', { type: 'review', access: { mode: 'restricted', members: [human] } }],
    ['V-32', 'work-item', 'refuse', { state: 'blocked', owner: ABSENT }],
    ['V-33', 'work-item', 'refuse', { state: 'accepted' }],
    ['V-33', 'mission', 'refuse', { state: 'completed' }],
    ['V-34', 'command', 'refuse', { extensions: { 'urn:example:p': { version: '1.0.0', critical: false } } }],
    [
      'V-34',
      'command',
      'accept',
      { extensions: { 'urn:example:p': { version: '1.0.0', critical: false, data: null } } },
    ],
    ['V-35', 'websocket-frame', 'refuse', { frameType: 'MESSAGE_DELTA' }],
    ['V-36', 'work-contract', 'refuse', { 'retryPolicy.maxDelay': 'P1W' }],
    ['V-36', 'work-contract', 'refuse', { 'retryPolicy.maxDelay': 'PT' }],
    ['V-36', 'work-contract', 'accept', { 'retryPolicy.maxDelay': 'PT0S' }],
    ['V-37', 'membership', 'refuse', { 'delegationGrants.0.budget.currency': ABSENT }],
    ['V-38', 'command', 'accept', { issuedAt: '2026-07-15t08:00:00.0000001+23:59' }],
    ['V-39', 'command', 'refuse', { issuedAt: '2026-07-15T08:00:00' }],
    ['V-39', 'command', 'refuse', { issuedAt: '2026-07-15 08:00:00Z' }],
    ['V-40', 'first-admission-record', 'refuse', { acceptedBy: agent }],
  ]
  test.each(cases)('%s: %s (%s) %o', (_rule, name, verdict, changes) => {
    expectVerdict(name, verdict, changes)
  })

  test('every row is here', () => {
    const covered = new Set(cases.map(([rule]) => rule))
    expect(Array.from({ length: 40 }, (_, index) => `V-${index + 1}`).filter((rule) => !covered.has(rule))).toEqual([])
  })
})

describe('conditional rules', () => {
  const create = { membershipEpoch: ABSENT }
  const organizationCommand = (changes: Record<string, unknown> = {}) =>
    serviceCommand('ext.missionweaveprotocol.registry.agent_card_register', { groupId: ABSENT, ...changes })
  const closed = { closedAt: at, closureReason: 'done' }
  const child = { parent: { missionId: id, workItemId: id, depth: 1 }, missionOwner: agent }

  const cases: Case[] = [
    ['R-COM-1', 'work-contract', 'refuse', { budget: {} }],
    ['R-COM-1', 'work-contract', 'refuse', { budget: { currency: 'EUR' } }],
    ['R-COM-1', 'work-contract', 'accept', { budget: { financialLimit: 5, toolCallLimit: 1 } }],
    ['R-COM-2', 'command', 'accept', { extensions: {} }],
    ['R-COM-2', 'command', 'refuse', { extensions: { 'no-scheme': { version: '1.0.0', critical: true, data: 1 } } }],
    [
      'R-COM-2',
      'command',
      'refuse',
      { extensions: { [`urn:x:${'a'.repeat(507)}`]: { version: '1.0.0', critical: true, data: 1 } } },
    ],
    ['R-COM-2', 'command', 'refuse', { extensions: { [id]: { version: '1.0', critical: true, data: 1 } } }],
    ['R-APR-1', 'approval', 'refuse', { artifactHashes: [] }],
    ['R-APR-1', 'approval', 'refuse', { kind: 'child_mission', artifactHashes: [] }],
    ['R-APR-1', 'approval', 'accept', { kind: 'work_execution', workItemId: id, artifactHashes: [] }],
    ['R-APR-2', 'approval', 'refuse', { approver: agent }],
    ['R-APR-2', 'approval', 'accept', { kind: 'child_mission', approver: service }],
    ['R-APR-3', 'approval', 'refuse', { kind: 'work_execution' }],
    ['R-APR-3', 'approval', 'accept', { kind: 'work_execution', workItemId: id, approver: agent }],
    ['R-APR-4', 'approval', 'refuse', { decision: 'revoked' }],
    ['R-APR-4', 'approval', 'accept', { decision: 'revoked', revokesApprovalId: id }],
    ['R-CMD-1', 'command', 'accept', serviceCommand('mission.terminate')],
    ['R-CMD-1', 'command', 'refuse', humanCommand('mission.terminate', { coordinatorEpoch: 1 })],
    ['R-CMD-2, A-210', 'command', 'refuse', agentCommand('ext.acme.tools.run', { groupId: ABSENT })],
    ['R-CMD-2, A-210', 'command', 'refuse', agentCommand('work.start', { sessionEpoch: ABSENT })],
    ['R-CMD-2, A-210', 'command', 'refuse', agentCommand('work.start', { membershipEpoch: ABSENT })],
    ['R-CMD-2, A-36', 'command', 'refuse', humanCommand('message.post', { sessionEpoch: 1 })],
    ['R-CMD-2, A-36, A-215', 'command', 'refuse', serviceCommand('mission.cancel', { sessionEpoch: 1 })],
    ['R-CMD-4, A-215', 'command', 'refuse', serviceCommand('mission.terminate', { groupId: ABSENT })],
    ['R-CMD-2', 'command', 'accept', humanCommand('message.post')],
    ['R-CMD-3, A-215', 'command', 'refuse', serviceCommand('mission.cancel', { membershipEpoch: 1 })],
    ['R-CMD-3, A-217', 'command', 'refuse', serviceCommand('ext.acme.tools.run', { membershipEpoch: 1 })],
    ['R-CMD-3, A-215', 'command', 'refuse', serviceCommand('mission.cancel', { coordinatorEpoch: 1 })],
    ['R-CMD-3, A-217', 'command', 'accept', serviceCommand('ext.acme.tools.run', { groupId: ABSENT })],
    ['R-CMD-4', 'command', 'refuse', serviceCommand('mission.cancel', { groupId: ABSENT })],
    ['R-CMD-4', 'command', 'refuse', humanCommand('mission.create', { ...create, groupId: ABSENT })],
    ['R-CMD-5', 'command', 'refuse', humanCommand('ext.acme.tools.run', { membershipEpoch: ABSENT })],
    ['R-CMD-5', 'command', 'refuse', humanCommand('ext.acme.tools.run', { groupId: ABSENT })],
    ['R-CMD-5', 'command', 'accept', humanCommand('work.propose')],
    ['R-CMD-6', 'command', 'accept', humanCommand('mission.create', create)],
    ['R-CMD-6', 'command', 'refuse', humanCommand('mission.create', { ...create, coordinatorEpoch: 1 })],
    ['R-CMD-6', 'command', 'refuse', serviceCommand('mission.create')],
    ['R-CMD-6', 'command', 'refuse', agentCommand('mission.create')],
    ['R-CMD-7', 'command', 'accept', humanCommand('mission.create_follow_up', create)],
    ['R-CMD-7', 'command', 'refuse', humanCommand('mission.create_follow_up')],
    ['R-CMD-7', 'command', 'refuse', serviceCommand('mission.create_follow_up')],
    ['R-CMD-8', 'command', 'accept', organizationCommand()],
    [
      'R-CMD-8',
      'command',
      'refuse',
      organizationCommand({ kind: 'ext.missionweaveprotocol.identity.session_open', groupId: id }),
    ],
    ['R-CMD-8', 'command', 'refuse', organizationCommand({ groupId: id })],
    ['R-CMD-8', 'command', 'refuse', organizationCommand({ coordinatorEpoch: 1 })],
    ['R-CMD-8', 'command', 'refuse', organizationCommand({ actor: human })],
    ['R-CMD-9', 'command', 'accept', agentCommand('work.accept_result', { coordinatorEpoch: 1 })],
    ['R-CMD-9', 'command', 'refuse', agentCommand('work.accept_result')],
    ['R-CMD-9', 'command', 'refuse', agentCommand('mission.renew_coordinator')],
    ['R-CMD-9', 'command', 'refuse', agentCommand('mission.submit_for_approval')],
    ['R-CMD-9', 'command', 'refuse', agentCommand('mission.create_child')],
    ['R-CMD-9', 'command', 'refuse', agentCommand('membership.grant_delegation')],
    ['R-CMD-9', 'command', 'refuse', humanCommand('work.accept_result', { coordinatorEpoch: 1 })],
    ['R-CMD-10', 'command', 'refuse', agentCommand('mission.terminate')],
    ['R-CMD-10', 'command', 'accept', agentCommand('mission.terminate', { coordinatorEpoch: 1 })],
    ['R-CNV-1', 'conversation', 'refuse', { type: 'work_item' }],
    ['R-CNV-1', 'conversation', 'accept', { type: 'work_item', primaryWorkItemId: id }],
    ['R-CNV-2', 'conversation', 'refuse', { type: 'restricted' }],
    ['R-CNV-2', 'conversation', 'accept', { type: 'restricted', access: { mode: 'restricted', members: [human] } }],
    ['R-CNV-3', 'conversation', 'refuse', { access: { mode: 'restricted' } }],
    ['R-CNV-3', 'conversation', 'accept', { access: { mode: 'group', members: [human] } }],
    ['R-EVT-1', 'event', 'accept', organizationEvent()],
    [
      'R-EVT-1',
      'event',
      'accept',
      organizationEvent({ kind: 'ext.missionweaveprotocol.registry.agent_card_registered' }),
    ],
    ['R-EVT-1', 'event', 'refuse', organizationEvent({ actor: agent })],
    ['R-EVT-1', 'event', 'refuse', organizationEvent({ sequence: 1 })],
    ['R-EVT-1', 'event', 'refuse', organizationEvent({ aggregateRevision: 1 })],
    ['R-EVT-2', 'event', 'refuse', { groupId: ABSENT }],
    ['R-EVT-2', 'event', 'refuse', { aggregateRevision: ABSENT }],
    ['R-EVT-2', 'event', 'refuse', { kind: 'ext.acme.tools.ran', sequence: ABSENT }],
    ['R-EVT-2', 'event', 'accept', { kind: 'ext.acme.tools.ran' }],
    ['R-GRP-1', 'group', 'refuse', { state: 'archived', archivedAt: at }],
    ['R-GRP-1', 'group', 'refuse', { state: 'archived', archiveSnapshotId: id }],
    ['R-GRP-1', 'group', 'accept', { state: 'archived', archivedAt: at, archiveSnapshotId: id }],
    ['R-GRP-2', 'group', 'refuse', { archivedAt: at }],
    ['R-GRP-2', 'group', 'refuse', { archiveSnapshotId: id }],
    ['R-LSE-1', 'lease', 'refuse', lease('coordinator')],
    [
      'R-LSE-1',
      'lease',
      'accept',
      lease('coordinator', { coordinatorEpoch: 1, workItemId: ABSENT, ownershipEpoch: ABSENT }),
    ],
    ['R-LSE-2', 'lease', 'refuse', lease('execution', { workItemId: ABSENT })],
    ['R-LSE-2', 'lease', 'refuse', { workItemId: ABSENT }],
    ['R-LSE-2', 'lease', 'refuse', lease('blocked', { ownershipEpoch: ABSENT })],
    ['R-LSE-2', 'lease', 'accept', lease('execution')],
    ['R-LSE-3', 'lease', 'refuse', { startBy: ABSENT }],
    ['R-LSE-4', 'lease', 'refuse', lease('execution', { coordinatorEpoch: 1 })],
    ['R-LSE-4', 'lease', 'refuse', lease('execution', { startBy: at })],
    ['R-LSE-4', 'lease', 'accept', { coordinatorEpoch: 1, graceExpiresAt: at }],
    ['R-LSE-4', 'lease', 'refuse', { capabilityTokenId: id }],
    ['R-LSE-5', 'lease', 'refuse', { renewalCount: 1 }],
    ['R-LSE-5', 'lease', 'accept', { renewalCount: 1, lastRenewedAt: at }],
    ['R-LSE-6', 'lease', 'refuse', { lastRenewedAt: at }],
    ['R-LSE-7', 'lease', 'refuse', { closedAt: at }],
    ['R-LSE-7', 'lease', 'refuse', { closureReason: 'done' }],
    ['R-LSE-8', 'lease', 'refuse', { state: 'expired', closedAt: at }],
    ['R-LSE-8', 'lease', 'refuse', { state: 'revoked', closureReason: 'done' }],
    ['R-LSE-8', 'lease', 'accept', { state: 'expired', ...closed }],
    ['R-MEM-1', 'membership', 'refuse', { state: 'provisional', contextPackageId: id }],
    ['R-MEM-1', 'membership', 'refuse', { state: 'provisional', provisionalExpiresAt: at }],
    ['R-MEM-1', 'membership', 'accept', { state: 'provisional', contextPackageId: id, provisionalExpiresAt: at }],
    ['R-MEM-2', 'membership', 'refuse', { activatedAt: ABSENT }],
    ['R-MEM-3', 'membership', 'refuse', { state: 'ended' }],
    ['R-MEM-3', 'membership', 'accept', { state: 'ended', endedAt: at }],
    ['R-MEM-4', 'membership', 'refuse', { 'delegationGrants.0.budget.wallClockSecondsLimit': ABSENT }],
    ['R-MEM-4', 'membership', 'refuse', { 'delegationGrants.0.budget.financialLimit': -1 }],
    ['R-MSG-1', 'message', 'refuse', { kind: 'correction', targetMessageId: id }],
    ['R-MSG-1', 'message', 'refuse', { kind: 'retraction', reason: 'wrong thread' }],
    ['R-MSG-1', 'message', 'refuse', { kind: 'redaction', reason: 'a secret' }],
    ['R-MSG-1', 'message', 'accept', { kind: 'correction', targetMessageId: id, reason: 'a typo' }],
    ['R-MSG-1', 'message', 'accept', { kind: 'retraction', targetMessageId: id, reason: 'wrong thread' }],
    ['R-MSG-1', 'message', 'accept', { kind: 'redaction', targetMessageId: id, reason: 'a secret' }],
    ['R-MIS-1', 'mission', 'refuse', { missionOwner: agent }],
    ['R-MIS-1', 'mission', 'refuse', { missionOwner: service }],
    ['R-MIS-1', 'mission', 'refuse', { 'approvalPolicy.finalHumanApproval': false }],
    ['R-MIS-2', 'mission', 'accept', { ...child, 'approvalPolicy.finalHumanApproval': false }],
    ['R-MIS-2', 'mission', 'refuse', { ...child, missionOwner: service }],
    ['R-MIS-2', 'mission', 'refuse', { ...child, parent: { ...child.parent, title: 'x' } }],
    ['R-WIT-1', 'work-item', 'refuse', { state: 'queued', selectionBasis: ABSENT }],
    ['R-WIT-1', 'work-item', 'refuse', { state: 'active', owner: ABSENT }],
    ['R-WIT-1', 'work-item', 'refuse', { state: 'submitted', owner: ABSENT }],
    ['R-WIT-1', 'work-item', 'refuse', { state: 'verified', selectionBasis: ABSENT }],
    ['R-WIT-1', 'work-item', 'accept', { state: 'failed', owner: ABSENT, selectionBasis: ABSENT, submission: ABSENT }],
    ['R-WIT-2', 'work-item', 'refuse', { state: 'verified', submission: ABSENT }],
    ['R-WIT-2', 'work-item', 'refuse', { submission: ABSENT }],
    ['R-WIT-2', 'work-item', 'accept', { state: 'active', submission: ABSENT }],
  ]
  test.each(cases)('%s: %s (%s) %o', (_rule, name, verdict, changes) => {
    expectVerdict(name, verdict, changes)
  })
})

describe('scalars and collections', () => {
  test.each<Case>([
    ['G-6 counts code points', 'agent-card', 'accept', { displayName: '😀'.repeat(200) }],
    ['G-6 counts code points', 'agent-card', 'refuse', { displayName: '😀'.repeat(201) }],
    ['G-7 integers', 'mission', 'accept', { revision: 1e2 }],
    ['G-7 integers', 'mission', 'refuse', { revision: 1.5 }],
    ['G-7 integers', 'mission', 'refuse', { revision: true }],
    ['G-9 unique', 'message', 'refuse', { references: [id, id] }],
    ['G-9 unique by value', 'message', 'refuse', { mentions: [human, { id: human.id, type: human.type }] }],
    ['G-9 unique', 'message', 'accept', { mentions: [human, { ...human, type: 'service' }] }],
    [
      'G-9 not unique',
      'group-snapshot',
      'accept',
      { policyLog: [...exampleDocuments['group-snapshot'].policyLog, ...exampleDocuments['group-snapshot'].policyLog] },
    ],
    ['one protocol version', 'agent-card', 'refuse', { protocolVersions: ['0.1', '0.1'] }],
    ['one protocol version', 'agent-card', 'refuse', { protocolVersions: ['0.2'] }],
    ['wss prefix', 'agent-card', 'refuse', { 'endpoints.0.uri': 'WSS://agents.example/' }],
    ['A-29: a card holds no credential', 'agent-card', 'refuse', { 'endpoints.0.token': 'x' }],
    ['A-29: a card holds no credential', 'agent-card', 'refuse', { credential: 'x' }],
    ['A-32: Presence tells nothing of Groups', 'presence-record', 'refuse', { groups: [id] }],
    ['A-32: Presence tells nothing of work', 'presence-record', 'refuse', { 'capacity.queuePosition': 1 }],
    ['A-8: formats are asserted', 'command', 'refuse', { issuedAt: 'yesterday' }],
    ['A-8: formats are asserted', 'artifact', 'refuse', { uri: 'no uri' }],
    ['A-8: formats are asserted', 'websocket-frame', 'refuse', frame('ACK', { acknowledgements: [{ groupId: id, sequence: 0 }], sentAt: 'soon' })],
    ['semver', 'approval', 'accept', { acceptancePolicyVersion: '1.0.0-..' }],
    ['semver', 'approval', 'accept', { acceptancePolicyVersion: '1.0.0+x.y' }],
    ['semver', 'approval', 'refuse', { acceptancePolicyVersion: '01.0.0' }],
    ['semver', 'approval', 'refuse', { acceptancePolicyVersion: 'v1.0.0' }],
    ['semver', 'approval', 'refuse', { acceptancePolicyVersion: '1.0.0+' }],
    ['base64url is lexical', 'command', 'accept', { 'signature.value': 'AB' }],
    ['base64url is lexical', 'command', 'accept', { 'signature.value': 'ABCDE' }],
    ['base64url is lexical', 'command', 'refuse', { 'signature.value': 'A' }],
    ['base64url is lexical', 'command', 'refuse', { 'signature.value': 'AA==' }],
    ['duration', 'work-contract', 'accept', { 'retryPolicy.maxDelay': 'P1DT2H3M4.5S' }],
    ['duration', 'work-contract', 'refuse', { 'retryPolicy.maxDelay': 'PT1.5H' }],
    ['duration', 'work-contract', 'refuse', { 'retryPolicy.maxDelay': 'P' }],
    ['capability id', 'artifact', 'refuse', { 'producer.capabilities.0.id': 'translate' }],
    ['media type', 'artifact', 'refuse', { mediaType: 'text/plain; charset=utf-8' }],
    ['failure code', 'work-contract', 'refuse', { 'retryPolicy.retryableFailures': ['T'] }],
    ['confidence', 'work-item', 'accept', { 'scheduleEstimate.confidence': 1 }],
    ['confidence', 'work-item', 'refuse', { 'scheduleEstimate.confidence': 1.01 }],
    ['evidence subject', 'evidence', 'accept', { 'subject.id': id }],
    ['evidence subject', 'evidence', 'refuse', { 'subject.id': 'nothing' }],
    ['strict times everywhere', 'lease', 'refuse', { expiresAt: '2026-07-15T08:00:60Z' }],
    ['content part of one shape', 'message', 'refuse', { content: [{ type: 'text', text: 'a', artifactHash: hash }] }],
    ['data_ref needs data', 'message', 'refuse', { content: [{ type: 'data_ref', schema: 'urn:x:y' }] }],
    ['data_ref is closed', 'message', 'refuse', { content: [{ type: 'data_ref', schema: id, data: 1, text: 'a' }] }],
    ['artifact_ref', 'message', 'accept', { content: [{ type: 'artifact_ref', artifactHash: hash }] }],
    [
      'artifact_ref is closed',
      'message',
      'refuse',
      { content: [{ type: 'artifact_ref', artifactHash: hash, data: 1 }] },
    ],
    ['model version', 'artifact', 'accept', { modelVersions: [{ provider: 'p', model: 'm', version: '1' }] }],
    ['model version', 'artifact', 'refuse', { modelVersions: [{ provider: 'p', model: 'm', version: '1', seed: 1 }] }],
    ['pinned profile', 'mission', 'accept', { pinnedProfiles: [{ profileUri: id, majorVersion: 0 }] }],
    ['pinned profile', 'mission', 'refuse', { pinnedProfiles: [{ profileUri: id, majorVersion: 0, minor: 1 }] }],
    [
      'pinned profile',
      'mission',
      'refuse',
      {
        pinnedProfiles: [
          { profileUri: id, majorVersion: 0 },
          { majorVersion: 0, profileUri: id },
        ],
      },
    ],
    [
      'extension entry',
      'command',
      'refuse',
      { extensions: { [id]: { version: '1.0.0', critical: true, data: 1, x: 1 } } },
    ],
    ['no extension error codes', 'error', 'refuse', { code: 'EXT_ACME' }],
    [
      'no signature on admission',
      'first-admission-record',
      'refuse',
      { signature: exampleDocuments.command.signature },
    ],
  ])('%s: %s (%s) %o', (_rule, name, verdict, changes) => {
    expectVerdict(name, verdict, changes)
  })

  test('a non-finite number passes here and fails at canonicalization (A-77)', () => {
    const budget = { currency: 'EUR', financialLimit: JSON.parse('1e400') as number }
    expectVerdict('mission', 'accept', { budget })
  })
})

describe('frames', () => {
  const nonce = 'abcd'
  const frames: [string, Record<string, unknown>][] = [
    ['client_init', hello('client_init', { agentId: id, keyId: id, clientNonce: nonce, supportedVersions: ['0.1'] })],
    [
      'server_challenge',
      hello('server_challenge', { selectedVersion: '0.1', clientNonce: nonce, serverNonce: nonce, challenge: nonce }),
    ],
    [
      'client_response',
      hello('client_response', {
        agentId: id,
        keyId: id,
        clientNonce: nonce,
        serverNonce: nonce,
        challengeSignature: nonce,
      }),
    ],
    [
      'server_accept',
      hello('server_accept', { selectedVersion: '0.1', sessionToken: 't'.repeat(16), sessionEpoch: 1, expiresAt: at }),
    ],
    ['SUBSCRIBE', {}],
    ['COMMAND', frame('COMMAND', { command: exampleDocuments.command })],
    ['EVENT', frame('EVENT', { event: exampleDocuments.event })],
    ['ACK', frame('ACK', { acknowledgements: [{ groupId: id, sequence: 0 }], sentAt: at })],
    ['PING', frame('PING', { nonce, sentAt: at, presence: exampleDocuments['presence-record'] })],
    ['ERROR', frame('ERROR', { error: exampleDocuments.error })],
  ]

  test.each(frames)('%s is accepted (A-238)', (_shape, changes) => {
    expectVerdict('websocket-frame', 'accept', changes)
  })

  test.each(frames)('%s refuses an unknown member', (_shape, changes) => {
    expectVerdict('websocket-frame', 'refuse', { ...changes, extra: 1 })
  })

  test('a session token shorter than 16 characters is refused', () => {
    const accept = frames[3]?.[1] ?? {}
    expectVerdict('websocket-frame', 'refuse', { ...accept, sessionToken: 't'.repeat(15) })
  })

  test('the fault comes from the shape that the frame claims', () => {
    const command = withChanges(exampleDocuments.command, { kind: 'work.start', sessionEpoch: ABSENT })
    const value = withChanges(exampleDocuments['websocket-frame'], frame('COMMAND', { command }))
    expect(validateDocument('websocket-frame', value)).toEqual({
      path: '/command',
      keyword: 'required',
      message: 'lacks the member sessionEpoch',
    })
  })

  test.each([
    [{ frameType: 'MESSAGE_DELTA' }],
    [{ frameType: 7 }],
    [{ frameType: 'HELLO', phase: Object.create(null) as unknown }],
    [{ frameType: '__proto__' }],
  ])('A-238: a frame that claims no shape fits none: %o', (changes) => {
    const value = { ...exampleDocuments['websocket-frame'], ...changes }
    expect(validateDocument('websocket-frame', value)?.keyword).toBe('oneOf')
  })
})

describe('faults', () => {
  const fault = (name: ObjectName, changes: Record<string, unknown>) =>
    validateDocument(name, withChanges(exampleDocuments[name], changes))

  test('a fault names the place, the keyword and what was expected', () => {
    expect(fault('work-item', { 'offers.0.status': 'maybe' })).toEqual({
      path: '/offers/0/status',
      keyword: 'enum',
      message: 'is none of the allowed values',
    })
    expect(fault('event', { sequence: 0 })).toEqual({ path: '/sequence', keyword: 'minimum', message: 'must be >= 1' })
    expect(fault('message', { authority: true })?.message).toBe('must be false')
  })

  test('a choice is reported as a choice', () => {
    expect(fault('command', { kind: 'work.sing' })).toMatchObject({ path: '/kind', keyword: 'anyOf' })
    expect(fault('message', { content: [{ type: 'video' }] })).toMatchObject({ path: '/content/0', keyword: 'oneOf' })
  })

  test.each<[ObjectName, Record<string, unknown>]>([
    ['command', { SECRET: 1 }],
    ['command', { kind: 'SECRET' }],
    ['command', { actionId: 'SECRET' }],
    ['command', { issuedAt: 'SECRET' }],
    ['command', { 'actor.type': 'SECRET' }],
    ['command', { extensions: { SECRET: { version: '1.0.0', critical: true, data: 1 } } }],
    ['command', { extensions: { 'urn:x:SECRET/SECRET': { version: '1', critical: true, data: 1 } } }],
    ['message', { content: [{ type: 'SECRET' }] }],
    ['message', { references: ['urn:x:SECRET', 'urn:x:SECRET'] }],
  ])('%s: no word of the peer gets into the fault %o', (name, changes) => {
    const result = fault(name, changes)
    expect(result).toBeDefined()
    expect(JSON.stringify(result)).not.toContain('SECRET')
  })
})

describe('objects without a prototype', () => {
  const bare = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bare)
    if (typeof value !== 'object' || value === null) return value
    return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([k, v]) => [k, bare(v)])))
  }

  test.each(objectNames)('%s is judged the same', (name) => {
    expect(validateDocument(name, bare(exampleDocuments[name]))).toBeUndefined()
    expect(validateDocument(name, bare({ ...exampleDocuments[name], unknownMember: 1 }))).toBeDefined()
  })

  test('an inherited member satisfies nothing (hazard 1.6)', () => {
    expect(validateDocument('group', Object.create(exampleDocuments.group))).toMatchObject({ keyword: 'required' })
  })

  test('__proto__ as an own member is an unknown member', () => {
    const text = JSON.stringify(exampleDocuments.group).replace('{', '{"__proto__":{},')
    expect(validateDocument('group', JSON.parse(text))).toMatchObject({ keyword: 'additionalProperties' })
  })
})
