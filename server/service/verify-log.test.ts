import { beforeEach, expect, it } from 'vitest'
import type { LogEntry } from './ports.ts'
import type { Fixture } from '../testing/authority-fixture.ts'
import { eventOf, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'
import { decodeEntry } from './event-bytes.ts'

let fixture: Fixture
let groupId: string

beforeEach(async () => {
  fixture = await startAuthority()
  const roles = { owner: await fixture.person('Olga'), coordinator: await fixture.agent('Coordinator'), worker: await fixture.agent('Worker') }
  const flow = await ReleaseFlow.executing(fixture, roles)
  await flow.submitForApproval()
  eventOf(await fixture.submit(roles.owner, await flow.approveDraft()))
  groupId = flow.groupId
})

const report = async () => (await fixture.service.verifyLog()).find(({ spaceId }) => spaceId === groupId)!

it('finds that log, signatures, Commands, read models and live state agree', async () => {
  const reports = await fixture.service.verifyLog()
  const head = await fixture.store.log.head(groupId)
  expect(reports).toMatchObject([
    { spaceId: fixture.organization.organizationId, events: 4, commands: 4, differences: [] },
    { spaceId: groupId, events: head, commands: head, differences: [], stateHash: (await fixture.service.reads.fingerprintOf(groupId))!.stateHash },
  ])
})

const changing = (change: (entry: LogEntry) => LogEntry) => {
  const { log } = fixture.store
  const read = log.read
  log.read = async (...args) => (await read(...args)).map((entry) => (entry.spaceId === groupId && entry.sequence === 3 ? change(entry) : entry))
}
const replaced = (entry: LogEntry, from: string | RegExp, to: string): LogEntry => ({ ...entry, bytes: Buffer.from(Buffer.from(entry.bytes).toString().replace(from, to)) })

it.each<[string, (entry: LogEntry) => LogEntry, string]>([
  ['changed content', (entry) => replaced(entry, 'Write the report', 'Burn the report'), 'signature'],
  ['another spelling', (entry) => replaced(entry, '{', '{ '), 'canonical form'],
  ['another index', (entry) => ({ ...entry, eventId: 'urn:example:other' }), 'names another'],
  ['another place', (entry) => ({ ...entry, sequence: 4 }), 'not in its place'],
])('reports an Event with %s', async (_, change, words) => {
  changing(change)
  expect((await report()).differences).toEqual([expect.stringContaining(words)])
})

it('reports a Command that is missing or another one', async () => {
  const { log } = fixture.store
  const find = log.findReceiptAt
  log.findReceiptAt = async () => undefined
  expect((await report()).differences).toEqual([expect.stringContaining('missing')])
  log.findReceiptAt = async (spaceId, sequence) => find(spaceId, sequence === 4 ? 5 : sequence)
  expect((await report()).differences).toEqual([expect.stringContaining('another Command')])
})

it('reports read models that have drifted', async () => {
  const { readModels } = fixture.store
  const dump = readModels.dump
  readModels.dump = async (spaceId) => (await dump(spaceId)).replace('approved', 'active')
  expect((await report()).differences).toEqual([expect.stringContaining('read models')])
})

it('reports a live state that has drifted', async () => {
  const found = await fixture.service.reads.groupFor((await fixture.store.readModels.missionById((await missionId())!))!.ownerId, groupId)
  found!.state.title = 'Drifted'
  expect((await report()).differences).toEqual([expect.stringContaining('this node holds')])
})

const missionId = async () => (await fixture.store.log.read(groupId, 0, 1)).map(decodeEntry).map(({ event }) => (event.payload as { mission: { missionId: string } }).mission.missionId)[0]
