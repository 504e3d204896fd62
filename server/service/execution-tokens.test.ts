import { Buffer } from 'node:buffer'
import { beforeEach, describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { signingBytes } from '../../protocol/signed-documents.ts'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { progress } from '../testing/documents.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'
import { decodeEvent } from './event-bytes.ts'
import { createNativeVerifier } from './native-ed25519.ts'

const read = { resource: 'urn:example:repository', operation: 'read' }
let fixture: Fixture
let [owner, worker]: [Person | undefined, Agent | undefined] = [undefined, undefined]
let flow: ReleaseFlow

beforeEach(async () => {
  fixture = await startAuthority()
  const coordinator = await fixture.agent('Coordinator')
  ;[owner, worker] = [await fixture.person('Olga'), await fixture.agent('Worker')]
  flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
})

const issue = ({ session } = worker!) => fixture.service.executionTokens.issue(session, flow.groupId, { workItemId: flow.workItemId })
async function newToken(): Promise<string> {
  const issued = await issue()
  if (!issued.ok) throw new Error(issued.error.message)
  return issued.value.token
}
async function verdict(token: string, use: typeof read = read): Promise<string> {
  const verified = await fixture.service.executionTokens.verify(token, use)
  return verified.ok ? 'allowed' : verified.error.code
}

describe('the tokens of the Authorization Service', () => {
  it('A-194: allow what the Worker executes and nothing else', async () => {
    const token = await newToken()
    expect([await verdict(token), await verdict(token, { ...read, operation: 'write' })]).toEqual(['allowed', 'AUTH_FORBIDDEN'])
  })

  it('A-194: are the authority’s alone: a changed, foreign or unsigned one is none', async () => {
    const token = await newToken()
    const [claims = '', signature = ''] = token.split('.')
    const wider = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { expiresAt: string }
    const changed = encodeBase64url(encodeCanonical({ ...wider, expiresAt: '2030-01-01T00:00:00Z' }))
    const own = encodeBase64url(worker!.sign(Buffer.from(claims, 'base64url')))
    const forged = [`${changed}.${signature}`, `${claims}.${own}`, claims, `${claims}.`, `${token}.${signature}`, 'x.y', '']
    expect(await Promise.all(forged.map((text) => verdict(text)))).toEqual(forged.map(() => 'AUTH_INVALID_SIGNATURE'))
  })

  it('A-194: are not what else the authority has signed', async () => {
    const [entry] = await fixture.store.log.read(flow.groupId, 0, 1)
    const event = decodeEvent(entry!.bytes)
    const signed = signingBytes(event)
    const { publicKey } = fixture.service.organization.authority
    expect(await createNativeVerifier()(decodeBase64url(publicKey)!, signed, decodeBase64url(event.signature.value)!)).toBe(true)
    expect(await verdict(`${encodeBase64url(signed)}.${event.signature.value}`)).toBe('AUTH_INVALID_SIGNATURE')
  })

  it('A-239: are not issued for a Group that the Agent does not belong to', async () => {
    const stranger = await fixture.agent('Stranger')
    const unknown = await fixture.service.executionTokens.issue(worker!.session, newUrn(), { workItemId: flow.workItemId })
    const hidden = await issue(stranger)
    expect(hidden).toEqual(unknown)
    expect(hidden).toMatchObject({ ok: false, error: { code: 'GROUP_NOT_FOUND' } })
  })

  it('A-35, A-199: end with the Session, on both ends', async () => {
    const token = await newToken()
    const before = worker!.session
    await fixture.handshake(worker!)
    expect(await verdict(token)).toBe('AUTH_STALE_SESSION')
    expect(await issue({ ...worker!, session: before })).toMatchObject({ ok: false, error: { code: 'AUTH_STALE_SESSION' } })
  })

  it('A-199: end with the Mission', async () => {
    const token = await newToken()
    eventOf(await fixture.submit(owner!, { kind: 'mission.cancel', groupId: flow.groupId, membershipEpoch: 1, payload: { reason: 'Stop.' } }))
    expect(await verdict(token)).toBe('WORK_STALE_OWNERSHIP')
  })

  it('A-181: end with their time', async () => {
    const token = await newToken()
    fixture.clock.advance(301)
    expect(await verdict(token)).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-194, A-199: are judged by all that other nodes have written, also where no wake-up came', async () => {
    const { store, clock, organization } = fixture
    const deaf = await startAuthority({ store: { ...store, wakeUps: { publish: () => {}, subscribe: () => () => {} } }, clock, organization })
    const verdictThere = async (token: string) => {
      const verified = await deaf.service.executionTokens.verify(token, read)
      return verified.ok ? 'allowed' : verified.error.code
    }
    const token = await newToken()
    expect(await verdictThere(token)).toBe('allowed')
    const { workItemId, ownershipEpoch, executionLeaseId } = flow
    await flow.work({ kind: 'work.checkpoint', payload: { workItemId, ownershipEpoch, executionLeaseId, progress: progress() } })
    expect(await verdictThere(token)).toBe('WORK_LEASE_EXPIRED')
    await flow.start()
    const next = await newToken()
    expect(await verdictThere(next)).toBe('allowed')
    await fixture.handshake(worker!)
    expect(await verdictThere(next)).toBe('AUTH_STALE_SESSION')
  })

  it('A-195: stand in no Event and no stored Command', async () => {
    const token = await newToken()
    await flow.submitForApproval()
    const [claims = '', signature = ''] = token.split('.')
    let entries = 0
    for (const { spaceId } of await fixture.service.reads.allSpaces()) {
      for (const entry of await fixture.store.log.read(spaceId, 0, 1000)) {
        const receipt = await fixture.store.log.findReceiptAt(spaceId, entry.sequence)
        const stored = Buffer.concat([entry.bytes, receipt?.commandBytes ?? new Uint8Array()]).toString()
        expect([stored.includes(claims), stored.includes(signature)]).toEqual([false, false])
        entries += 1
      }
    }
    expect(entries).toBeGreaterThan(10)
  })
})
