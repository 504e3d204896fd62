import { beforeEach, expect, it } from 'vitest'
import { AcceptedActions } from './accepted-actions.ts'
import { BatchRecords } from './batch-records.ts'
import type { SpaceWork } from './space-fold.ts'
import type { Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let owner: Person
let groups: { missionId: string; groupId: string }[]
let appends: number
let lookUps: number

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  const coordinator = await fixture.agent('Coordinator')
  groups = [await fixture.mission(owner, coordinator), await fixture.mission(owner, coordinator)]
  const { log } = fixture.store
  const { append, findReceipts } = log
  log.append = async (batch) => (appends++, append(batch))
  log.findReceipts = async (keys) => (lookUps++, findReceipts(keys))
  appends = lookUps = 0
})

const post = (changes: Partial<Draft> = {}): Draft => ({ kind: 'message.post', groupId: groups[0]!.groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] }, ...changes })
const restarted = () => startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })

it('asks the database nothing when a Command is accepted', async () => {
  expect(codeOf(await fixture.submit(owner, post()))).toBe('accepted')
  expect([appends, lookUps]).toEqual([1, 0])
})

it('answers a retry after a restart from what the log says (A-222)', async () => {
  const bytes = await fixture.command(owner, post())
  const first = await fixture.service.submitCommand(bytes, { door: 'http' })
  const { service } = await restarted()
  expect(await service.submitCommand(bytes, { door: 'http' })).toEqual({ ...first, isDuplicate: true })
  expect([appends, lookUps]).toEqual([1, 0])
})

it('finds out by the constraint that another Space has used an Action ID, and asks beforehand the next time', async () => {
  const actionIds = [newUrn(), newUrn()]
  for (const actionId of actionIds) await fixture.submit(owner, post({ actionId }))
  const other = await restarted()
  const reuse = (actionId: string) => other.submit(owner, post({ actionId, groupId: groups[1]!.groupId }))
  appends = 0
  expect(codeOf(await reuse(actionIds[0]!))).toBe('ACTION_ID_COLLISION')
  expect(codeOf(await reuse(actionIds[1]!))).toBe('ACTION_ID_COLLISION')
  expect(appends).toBe(1)
})

it('gives a receipt precedence over a refusal although this node has forgotten the Command', async () => {
  const outcome = await fixture.submit(owner, post())
  const receipt = await fixture.store.log.findReceiptAt(groups[0]!.groupId, 2)
  const records = new BatchRecords(groups[0]!.groupId, { ...fixture.store, actions: new AcceptedActions(), organizationId: fixture.organization.organizationId })
  const work = (signingHash: string) => ({ type: 'command', command: { document: { value: { actor: owner.actor, actionId: receipt!.actionId }, signingHash } } }) as unknown as SpaceWork
  const refused = { type: 'refused', rejection: { code: 'INVALID_COMMAND', message: 'this id is taken' } } as const
  const [same, other] = await records.reconsider([work(receipt!.signingHash), work('other')], [refused, refused])
  expect(same).toMatchObject({ type: 'known', action: { sequence: outcome.ok && outcome.sequence } })
  expect(other).toMatchObject({ type: 'refused', rejection: { code: 'ACTION_ID_COLLISION' } })
})

it('looks up the Commands of whoever caused a conflict once', async () => {
  const bytes = await fixture.command(owner, post())
  await fixture.service.submitCommand(bytes, { door: 'http' })
  const actions = new AcceptedActions()
  const records = new BatchRecords(groups[0]!.groupId, { ...fixture.store, actions, organizationId: fixture.organization.organizationId })
  const { actionId } = (await fixture.store.log.findReceiptAt(groups[0]!.groupId, 2))!
  const works = [{ type: 'command', command: { document: { value: { actor: owner.actor, actionId, payload: {} } }, nested: [] } }] as unknown as SpaceWork[]
  await records.before(works, undefined)
  expect(actions.find(owner.actor.id, actionId)).toBeUndefined()
  await records.afterConflict(works)
  expect(actions.isSuspect(owner.actor.id)).toBe(true)
  lookUps = 0
  await records.before(works, undefined)
  expect([lookUps, actions.find(owner.actor.id, actionId)?.sequence]).toEqual([1, 2])
})

it('forgets the oldest of very many actions', () => {
  const actions = new AcceptedActions()
  for (let n = 0; n <= 50_000; n++) actions.add({ actorId: 'a', actionId: String(n), signingHash: '', spaceId: '', sequence: n })
  expect([actions.find('a', '0'), actions.find('a', '1')?.sequence, actions.find('a', '50000')?.sequence]).toEqual([undefined, 1, 50_000])
})
