// One real Event of every kind, out of the histories of the model: changed, left out or repeated it does not pass for the log.
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { ValidatedRegistry } from '../../protocol/key-registry.ts'
import { validateRegistry } from '../../protocol/key-registry.ts'
import { MISSION_ROOT_DECIDE, MISSION_ROOT_DECIDED, POLICY_CHANGED, PROFILE_APPROVED, PROFILE_RETIRED } from '../../protocol/kinds.ts'
import { signDocument } from '../../protocol/signed-documents.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { eventPayloadKinds, validateEventPayload } from '../../protocol/validate.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import { evolve } from '../authority/evolve.ts'
import type { ProfileRegister } from '../authority/extension-profile.ts'
import { evolveProfiles, profileOf } from '../authority/extension-profile.ts'
import { evolvePolicy } from '../authority/policy-change.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import type { GroupState } from '../authority/types.ts'
import { newKey } from '../testing/authority-fixture.ts'
import { ada, groupAuthority, organizationId, urnOf, wanda } from '../testing/cast.ts'
import { approvalOf } from '../testing/documents.ts'
import { saw } from '../testing/evidence.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { createMemorySpaces } from '../testing/memory-spaces.ts'
import { MissionTree } from '../testing/mission-tree.ts'
import { reach, submitMission } from '../testing/work-scenario.ts'
import type { Watcher } from '../testing/world/world.ts'
import { World } from '../testing/world/world.ts'
import type { LogEntry } from './ports.ts'

/** An Event with all that went before it in its Space. */
interface Sample { readonly event: EventDocument; readonly before: readonly EventDocument[] }

const keyId = urnOf('the authority’s key')
const key = newKey()
const samples = new Map<string, Sample>()
let registry: ValidatedRegistry

class Collector implements Watcher {
  readonly #logs = new Map<string, EventDocument[]>()
  sends(): void {}
  answered(): void {}
  reread(): void {}
  event(spaceId: string, _bytes: Uint8Array, event: EventDocument): void {
    const log = this.#logs.get(spaceId) ?? []
    if (!samples.has(event.kind)) samples.set(event.kind, { event, before: [...log] })
    log.push(event)
    this.#logs.set(spaceId, log)
  }
}

beforeAll(async () => {
  const binding = { keyId, principal: groupAuthority, algorithm: 'Ed25519', publicKey: key.publicKey, validFrom: '2026-01-01T00:00:00.000Z', history: [] } as const
  const valid = validateRegistry({ organizationId, bindings: [binding] })
  if (!valid.ok) throw new Error(valid.error)
  registry = valid.value
  samples.set(MISSION_ROOT_DECIDED, decidedAtRoot())
  for (let seed = 1_001; seed < 1_020 && samples.size < eventPayloadKinds.length; seed += 1) {
    const world = new World(seed, new Collector())
    await world.begin()
    while (world.sent < 2_500 && samples.size < eventPayloadKinds.length) await world.advance()
  }
}, 180_000)

/** The model submits no child Mission, so this history is written out. */
function decidedAtRoot(): Sample {
  const root = new GroupFixture('root').found()
  reach(root, 'report', 'open')
  const approvalPolicy = { finalHumanApproval: true, highRiskExecutionApproval: true, policyVersion: '1.0.0' }
  const child = new MissionTree(root).child(root, 'two', 'report', { changes: { approvalPolicy } })
  reach(child, 'part', 'verified', { contract: { deadline: '2026-12-18T18:00:00Z', budget: { currency: 'EUR', financialLimit: 5, modelTokenLimit: 50 } }, worker: wanda })
  submitMission(child, 'part')
  const [event] = child.accept(ada, MISSION_ROOT_DECIDE, { approval: approvalOf(child.state, 'approved', child.now, { approver: ada }) })
  return { event: event!, before: child.log.slice(0, -1) }
}

function sampleOf(kind: string): Sample {
  const sample = samples.get(kind)
  if (!sample) throw new Error(`no history brought about ${kind}`)
  return sample
}

const verified = async (event: object) => verifyDocument({ kind: 'event', bytes: encodeCanonical(event), registry })

describe.each(eventPayloadKinds)('%s', (kind) => {
  it('A-20: is refused with another payload: by its signature, or by its schema', async () => {
    const { event } = sampleOf(kind)
    const { signature: _signature, ...unsigned } = event
    const signed = await signDocument(unsigned, 'occurredAt', keyId, key.sign)
    expect((await verified(signed)).ok).toBe(true)
    const changed = { ...event.payload, changed: true }
    expect(await verified({ ...signed, payload: changed })).toMatchObject({ ok: false, error: { stage: 'signature' } })
    expect(validateEventPayload(kind, event.payload)).toBeUndefined()
    expect(validateEventPayload(kind, changed)).toMatchObject({ keyword: 'additionalProperties' })
    saw('event-refused', kind)
  })

  it('A-21, A-22: is refused after a gap and a second time', async () => {
    const sample = sampleOf(kind)
    await expect(refusals(kind, sample)).resolves.toEqual(['a gap', 'a repetition'])
    saw('event-refused', kind)
  })
})

/** What of the two the reader of such a Space refuses. */
async function refusals(kind: EventPayloadKind, sample: Sample): Promise<string[]> {
  const { event } = sample
  if (event.groupId === undefined) return refusedByLog(sample)
  const read = readerOf(kind, sample)
  const refused = isRefused(() => read.gap()) ? ['a gap'] : []
  read.next()
  return isRefused(() => read.next()) ? [...refused, 'a repetition'] : refused
}

function readerOf(kind: EventPayloadKind, sample: Sample) {
  if (kind === POLICY_CHANGED) return policyReader(sample)
  return kind === PROFILE_APPROVED || kind === PROFILE_RETIRED ? profileReader(sample) : groupReader(sample)
}

function groupReader({ event, before }: Sample) {
  const sequence = event.sequence ?? 0
  let state = before.reduce<GroupState | undefined>(evolve, undefined)
  return {
    gap: () => evolve(state, { ...event, sequence: sequence + 1 }),
    next: () => (state = evolve(state, event)),
  }
}

function policyReader({ event, before }: Sample) {
  let policy = before.filter(({ kind }) => kind === POLICY_CHANGED).reduce(evolvePolicy, DEFAULT_POLICY)
  const { version } = event.payload.policy as { version: number }
  const later = { ...event, payload: { ...event.payload, policy: { ...(event.payload.policy as object), version: version + 1 } } }
  return { gap: () => evolvePolicy(policy, later), next: () => (policy = evolvePolicy(policy, event)) }
}

function profileReader({ event, before }: Sample) {
  let register = before.filter(({ kind }) => kind !== POLICY_CHANGED).reduce<ProfileRegister>(evolveProfiles, new Map())
  const revision = (register.get(profileOf(event))?.revision ?? 0) + 2
  return { gap: () => evolveProfiles(register, { ...event, aggregateRevision: revision }), next: () => (register = evolveProfiles(register, event)) }
}

/** Events of the Organization have no sequence of their own; the log keeps their order and takes none twice. */
async function refusedByLog({ event }: Sample): Promise<string[]> {
  const { log } = createMemorySpaces()
  const entry = (sequence: number): LogEntry => ({ spaceId: organizationId, sequence, eventId: event.eventId, kind: event.kind, bytes: encodeCanonical(event) })
  const rows = { memberships: [], nodes: [], edges: [], artifacts: [], executions: [] }
  const append = (head: number) => log.append({ spaceId: organizationId, spaceKind: 'organization', expectedHead: head, events: [entry(head + 1)], receipts: [], admissions: [], rows })
  const gap = await append(1)
  await append(0)
  const again = await append(1)
  return [...(gap.ok ? [] : ['a gap']), ...(again.ok ? [] : ['a repetition'])]
}

function isRefused(attempt: () => unknown): boolean {
  try {
    attempt()
    return false
  } catch {
    return true
  }
}
