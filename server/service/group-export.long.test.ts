import { beforeAll, describe, expect, it } from 'vitest'
import type { Fixture, Person } from '../testing/authority-fixture.ts'
import { eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'
import { linesOf } from './lines.ts'
import { createNativeVerifier } from './native-ed25519.ts'
import type { ExportReport } from './verify-export.ts'
import { maximumLineBytes, verifyExport } from './verify-export.ts'

const verifySignature = createNativeVerifier()
const secret = 'The door code is 4711.'
let fixture: Fixture
let owner: Person
let flow: ReleaseFlow
/** An approved and archived Mission, with a redacted Message. */
let file: Buffer

async function exported(groupId: string): Promise<Buffer> {
  const lines: Uint8Array[] = []
  for await (const line of (await fixture.service.archives.export(groupId)) ?? []) lines.push(line)
  return Buffer.concat(lines)
}
const verify = (bytes: Uint8Array, authorityPublicKey?: string): Promise<ExportReport> =>
  verifyExport(linesOf(once(bytes), maximumLineBytes), { verifySignature, ...(authorityPublicKey !== undefined && { authorityPublicKey }) })
async function* once(bytes: Uint8Array) {
  yield bytes
}

beforeAll(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  flow = await ReleaseFlow.executing(fixture, { owner, coordinator: await fixture.agent('Coordinator'), worker: await fixture.agent('Worker') })
  const messageId = newUrn()
  const say = (kind: 'message.post' | 'message.redact', payload: Record<string, unknown>) => fixture.submit(owner, { kind, groupId: flow.groupId, membershipEpoch: 1, payload })
  eventOf(await say('message.post', { messageId, content: [{ type: 'text', text: secret }] }))
  eventOf(await say('message.redact', { amendmentId: newUrn(), messageId, reason: 'It opens a door.' }))
  await flow.submitForApproval()
  eventOf(await fixture.submit(owner, await flow.approveDraft()))
  const archive = await fixture.service.archives.archive(flow.groupId, { isHistoryOffline: true })
  expect(archive.ok).toBe(true)
  file = await exported(flow.groupId)
})

describe('an exported Group', () => {
  it('is refused in words where a line is too long to be read', async () => {
    const report = await verifyExport(linesOf(once(file), 500), { verifySignature })
    expect(report).toEqual({ ok: false, line: expect.any(Number), reason: 'a line has more than 500 bytes' })
  })

  it('A-88, A-127: verifies from its file alone: signatures, sequence, Commands, admission records, snapshot and state', async () => {
    const { sequence: events, stateHash } = (await fixture.service.reads.fingerprintOf(flow.groupId))!
    const report = await verify(file, fixture.organization.authority.publicKey)
    expect(report).toMatchObject({ ok: true, group: { groupId: flow.groupId, missionState: 'approved', isArchived: true, events, commands: events - 1, stateHash } })
  })

  it('A-125: holds redacted words, and says so', async () => {
    const events = file.toString().split('\n').flatMap((line) => (line.startsWith('{"admissions"') ? [Buffer.from((JSON.parse(line) as { event: string }).event, 'base64url').toString()] : []))
    expect(events.some((event) => event.includes(secret))).toBe(true)
    const report = await verify(file)
    expect(report.ok && report.group.limits[0]).toContain('redacted')
  })

  it('is refused with the reason wherever one bit of it differs', async () => {
    const positions = Array.from({ length: 150 }, (_, index) => Math.floor((index * (file.length - 1)) / 149))
    const reasons = new Set<string>()
    for (const [index, position] of positions.entries()) {
      const changed = Buffer.from(file)
      changed[position]! ^= 1 << (index % 8)
      const report = await verify(changed).catch((cause: unknown) => cause as Error)
      if (report instanceof Error || report.ok) throw new Error(`bit ${index % 8} of byte ${position} may differ: ${String(report)}`)
      expect(report.reason.length).toBeGreaterThan(10)
      reasons.add(report.reason)
    }
    expect(reasons.size).toBeGreaterThan(5)
  }, 60_000)

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ['an Event is left out', (lines) => without(lines, 3), /and \d+ is missing/],
    ['two Events change places', (lines) => swapped(lines, 3), /is missing|before any key|key-resolution/],
    ['an Event is there twice', (lines) => twice(lines, 3), /is missing/],
    ['the seal is gone', (lines) => lines.slice(0, -2), /ends before its seal/],
    ['the end is gone', (lines) => lines.slice(0, -4), /not readable|ends before its seal/],
    ['something follows', (lines) => [...lines.slice(0, -1), '{}', ''], /follows the seal/],
    ['the last line feed is gone', (lines) => lines.slice(0, -1), /ends before its seal/],
    ['an admission record is gone', (lines) => changed(lines, 3, ({ admissions, ...entry }) => ({ admissions: (admissions as object[]).slice(1), ...entry })), /has no admission record/],
    ['a Command is gone', (lines) => changed(lines, 3, ({ command: _command, ...entry }) => entry), /comes with the Command/],
    ['the records of another line are added', (lines) => changed(lines, 3, ({ admissions, ...entry }) => ({ admissions: [...(admissions as object[]), ...admissionsOf(lines, 4)], ...entry })), /of no document/],
  ])('is refused when %s', async (_, change, reason) => {
    const report = await verify(Buffer.from(change(file.toString().split('\n')).join('\n')))
    expect(report).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
  })

  it('is refused under another authority key than the one that is trusted', async () => {
    expect(await verify(file, 'A'.repeat(43))).toMatchObject({ ok: false, reason: expect.stringContaining('not the one that you trust') })
  })
})

it('exports a Group that goes on as it is', async () => {
  const { groupId } = await fixture.mission(owner, await fixture.agent('Other'))
  expect(await verify(await exported(groupId))).toMatchObject({ ok: true, group: { isArchived: false, missionState: 'active', events: 1 } })
  expect(await fixture.service.archives.export(newUrn())).toBeUndefined()
})

/** Index of the line of the nth Event, from 1. */
const lineOf = (lines: string[], event: number) => lines.flatMap((line, index) => (line.startsWith('{"admissions"') ? [index] : []))[event - 1]!
const without = (lines: string[], event: number) => lines.toSpliced(lineOf(lines, event), 1)
const twice = (lines: string[], event: number) => lines.toSpliced(lineOf(lines, event), 0, lines[lineOf(lines, event)]!)
const swapped = (lines: string[], event: number) => without(lines, event).toSpliced(lineOf(lines, event + 1), 0, lines[lineOf(lines, event)]!)
const admissionsOf = (lines: string[], event: number) => (JSON.parse(lines[lineOf(lines, event)]!) as { admissions: object[] }).admissions
function changed(lines: string[], event: number, change: (entry: Record<string, unknown>) => Record<string, unknown>): string[] {
  const at = lineOf(lines, event)
  return lines.with(at, JSON.stringify(change(JSON.parse(lines[at]!) as Record<string, unknown>)))
}
