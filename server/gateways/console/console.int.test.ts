import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../../protocol/base64url.ts'
import type { Fixture, Person } from '../../testing/authority-fixture.ts'
import { eventOf, newKey, newUrn } from '../../testing/authority-fixture.ts'
import type { ApprovalView, MissionSummary } from '../../service/views.ts'
import { ReleaseFlow } from '../../testing/release-flow.ts'
import { TreeFlow } from '../../testing/tree-flow.ts'
import { ConsoleDoor } from '../../testing/console-door.ts'

let door: ConsoleDoor
let fixture: Fixture

beforeEach(async () => {
  door = await ConsoleDoor.open()
  ;({ fixture } = door)
})
afterEach(async () => {
  vi.useRealTimers()
  await door.close()
})

const cookieOf = (person: Person) => door.cookieOf(person)
const ask: ConsoleDoor['ask'] = (...request) => door.ask(...request)
const send: ConsoleDoor['send'] = (...request) => door.send(...request)
const change = async (path: string, input: unknown, cookie = '') => {
  const response = await send(path, JSON.stringify(input), { cookie })
  return { status: response.status, answer: (await response.json()) as { result?: { data: Record<string, string> }; error?: { message: string; data: { code: string } } } }
}
const dataOf = async (path: string, input: unknown) => (await change(path, input)).answer.result!.data

/** From now on the log of this Group cannot be read. */
function damage(groupId: string): void {
  const { log, wakeUps } = fixture.store
  const { read } = log
  log.read = (spaceId, after, limit) => (spaceId === groupId ? Promise.reject(new Error('the disk is damaged')) : read(spaceId, after, limit))
  wakeUps.publish(groupId)
}

const invite = async () => (await fixture.service.identities.invite({ name: 'Olga', isAdmin: true, ttlSeconds: 600 })).token

async function enrolment(changes: object = {}, pair = newKey()) {
  const { challengeId, challenge } = await dataOf('session.challenge', { purpose: 'countersign.console.enrol' })
  const key = { use: 'authority', publicKey: pair.publicKey, custody: 'browser', label: 'Laptop', proof: encodeBase64url(pair.sign(decodeBase64url(challenge!)!)), ...changes }
  return { name: 'Olga', challengeId, keys: [key] }
}

describe('an enrolment', () => {
  it.each([
    ['a label with U+0000', { label: 'Lap\0top' }],
    ['a custody with U+0000', { custody: 'brow\0ser' }],
    ['a label with half a surrogate pair', { label: 'Lap\ud800top' }],
    ['an unknown member', { more: 1 }],
  ])('with %s is a bad request and leaves the invitation good', async (_, changes) => {
    const [token, pair] = [await invite(), newKey()]
    const refused = await change('enrolment.complete', { token, ...(await enrolment(changes, pair)) })
    expect([refused.status, refused.answer.error?.data.code]).toEqual([400, 'BAD_REQUEST'])
    expect(fixture.service.identities.principals().filter(({ principal }) => principal.type === 'human')).toEqual([])
    expect((await change('enrolment.complete', { token, ...(await enrolment({}, pair)) })).status).toBe(200)
  })

  it('shows its token in no address: it is looked at by POST alone', async () => {
    const token = await invite()
    expect((await ask('enrolment.look', { token })).status).toBe(405)
    expect(await dataOf('enrolment.look', { token })).toMatchObject({ ok: true, name: 'Olga' })
  })
})

describe('signing in', () => {
  async function signingIn(person: Person) {
    const { challengeId, challenge } = await dataOf('session.challenge', { purpose: 'countersign.console.sign-in' })
    return { challengeId, keyId: person.keyId, signature: encodeBase64url(person.sign(decodeBase64url(challenge!)!)) }
  }

  it('takes each signature once', async () => {
    const request = await signingIn(await fixture.person('Olga'))
    const outcomes = await Promise.all([change('session.signIn', request), change('session.signIn', request)])
    expect([...outcomes, await change('session.signIn', request)].map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  it('cannot be denied to others by asking for challenges', async () => {
    const request = await signingIn(await fixture.person('Olga'))
    for (let asked = 0; asked < 10_001; asked++) fixture.service.console.challenge('countersign.console.sign-in')
    expect((await change('session.signIn', request)).status).toBe(200)
  })
})

describe('a child Mission whose policy asks for the human at the root', () => {
  it('A-207: waits under Approvals for that person, until the decision is signed', async () => {
    const owner = await fixture.person('Olga')
    const agents = await Promise.all(['Cora', 'Carl', 'Wim'].map((name) => fixture.agent(name)))
    const cookie = await cookieOf(owner)
    const flow = await TreeFlow.root(fixture, owner, agents)
    const child = await flow.child({ approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' } })
    await flow.finishDeepest(agents[2]!)
    const shown = async <T>(path: string, input?: unknown) => ((await (await ask(path, input, cookie)).json()) as { result: { data: T } }).result.data
    const waiting = async () => (await shown<MissionSummary[]>('approvals.list')).map(({ missionId, status }) => ({ missionId, sentence: status.sentence }))
    const review = () => shown<ApprovalView>('missions.approval', { missionId: child.missionId })

    expect(await waiting()).toEqual([{ missionId: child.missionId, sentence: 'Waits for your decision on revision 3' }])
    expect(await review()).toMatchObject({ isChild: true, decider: { id: owner.actor.id }, decisions: [] })
    eventOf(await flow.send(owner, child.groupId, { kind: 'ext.countersign.mission.root_decide', payload: { approval: await flow.approval(child, owner) } }))
    expect(await waiting()).toEqual([])
    expect(await review()).toMatchObject({ decider: { id: agents[0]!.actor.id }, decisions: [], signed: { approval: { decision: 'approved' } }, mission: { status: { sentence: 'Waits for Cora to decide on revision 3', because: 'You approved it, as the owner of the mission at the top.' } } })
  })
})

describe('a redacted Message', () => {
  it('A-125: leaves no word in anything that the console shows to others, and all of it to the owner', async () => {
    const [owner, reader] = [await fixture.person('Olga'), await fixture.person('Rita')]
    const { groupId, missionId } = await fixture.mission(owner, await fixture.agent('Coordinator'))
    const command = { groupId, membershipEpoch: 1 }
    const messageId = newUrn()
    eventOf(await fixture.submit(owner, { kind: 'membership.change', ...command, payload: { member: reader.actor, role: 'observer' } }))
    eventOf(await fixture.submit(owner, { kind: 'message.post', ...command, payload: { messageId, content: [{ type: 'text', text: 'Door code swordfish.' }] } }))
    eventOf(await fixture.submit(owner, { kind: 'message.redact', ...command, payload: { amendmentId: newUrn(), messageId, reason: 'It opens a door.' } }))
    const shown = async (person: Person) => {
      const cookie = await cookieOf(person)
      const page = { missionId, limit: 10 }
      const answers = await Promise.all([ask('missions.conversation', page, cookie), ask('missions.graph', page, cookie), ask('missions.log', page, cookie), ask('missions.event', { missionId, sequence: 3 }, cookie)])
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      const { bytes, commandBytes } = (JSON.parse(texts[3]!) as { result: { data: Record<string, string> } }).result.data
      return [...texts, ...[bytes, commandBytes].flatMap((encoded) => (encoded === undefined ? [] : [Buffer.from(encoded, 'base64url').toString()]))]
    }
    const others = await shown(reader)
    expect(others.map((answer) => answer.includes('swordfish'))).toEqual([false, false, false, false, false])
    expect(others[0]).toContain('"form":"redacted"')
    expect(others[0]).toContain('It opens a door.')
    expect((await shown(owner)).map((answer) => answer.includes('swordfish'))).toEqual([true, false, false, false, true, true])
  })
})

describe('a request', () => {
  it.each(['nul \0', 'a b', '\ud800', 'no-uri'])('for the id %j is a bad one', async (missionId) => {
    const cookie = await cookieOf(await fixture.person('Olga'))
    const conversation = { missionId: 'urn:example:none', conversationId: missionId, limit: 1 }
    const answers = await Promise.all([ask('missions.view', { missionId }, cookie), ask('missions.conversation', conversation, cookie), ask('missions.graph', { missionId, limit: 1 }, cookie)])
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
    expect((await change('session.signIn', { challengeId: 'A', keyId: missionId, signature: 'A'.repeat(86) })).status).toBe(400)
  })

  it('for a Mission that there is not is not found', async () => {
    expect((await ask('missions.view', { missionId: 'urn:example:none' }, await cookieOf(await fixture.person('Olga')))).status).toBe(404)
  })

  it.each<[string, string | Uint8Array, number]>([
    ['names a member twice', '{"purpose":"countersign.console.enrol","purpose":"countersign.console.enrol"}', 400],
    ['is not UTF-8', Buffer.concat([Buffer.from('{"purpose":"countersign.console.enrol'), Buffer.of(0xff), Buffer.from('"}')]), 400],
    ['has a member that nobody knows', '{"purpose":"countersign.console.enrol","more":1}', 400],
    ['is no JSON', '{', 400],
    ['is too large', JSON.stringify(' '.repeat(256 * 1024)), 413],
  ])('whose body %s is refused', async (_, body, status) => {
    expect((await send('session.challenge', body)).status).toBe(status)
  })

  it('must send JSON, and must not name a member twice in its address', async () => {
    expect((await send('session.challenge', '{"purpose":"countersign.console.enrol"}', { 'content-type': 'text/plain' })).status).toBe(415)
    const cookie = await cookieOf(await fixture.person('Olga'))
    expect((await fetch(door.urlOf(`missions.view?input=${encodeURIComponent('{"missionId":"urn:a:b","missionId":"urn:a:b"}')}`), { headers: { cookie } })).status).toBe(400)
    expect((await ask('missions.view', { missionId: 'urn:a:b', more: 1 }, cookie)).status).toBe(400)
  })

  it('may come without a body when there is nothing to say', async () => {
    const cookie = await cookieOf(await fixture.person('Olga'))
    expect((await send('session.signOut', '', { cookie })).status).toBe(200)
    expect((await ask('missions.list', undefined, cookie)).status).toBe(401)
  })

  it('carries a bounded number of calls', async () => {
    const batch = (size: number) => ask(`${Array.from({ length: size }, () => 'session.current').join(',')}?batch=1`)
    expect([(await batch(20)).status, (await batch(21)).status]).toEqual([200, 400])
  })

  it('that fails does not claim that nothing was changed', async () => {
    const { directory } = fixture.store
    directory.findInvitation = async () => Promise.reject(new Error('lost'))
    const { status, answer } = await change('enrolment.look', { token: 'A'.repeat(43) })
    expect([status, answer.error?.message]).toEqual([500, 'The server failed. Look whether what you did took effect before you do it again.'])
  })
})

describe('adding an Agent', () => {
  const scout = { name: 'Scout', capabilities: [{ id: 'release.report', version: '1.0.0' }] }
  const admin = async () => cookieOf(await fixture.person('Olga', { isAdmin: true }))
  const read = async (path: string, cookie: string) => ((await (await ask(path, undefined, cookie)).json()) as { result: { data: object[] } }).result.data

  it.each(['mcp', 'iap'] as const)('for the door %s gives its token once', async (door) => {
    const cookie = await admin()
    const { status, answer } = await change('agents.addTokenHolder', { ...scout, door, days: 30 }, cookie)
    expect(status).toBe(200)
    const { agentId, token } = answer.result!.data
    expect(await fixture.service.doors.tokens.find(token!, door)).toMatchObject({ principalId: agentId })
    const shown = await read('agents.tokens', cookie)
    expect(shown).toEqual([expect.objectContaining({ agentId, agentName: 'Scout', doors: [door], expiresAt: '2026-12-29T12:00:00.000Z' })])
    expect(JSON.stringify(shown)).not.toContain(token)
    expect(JSON.stringify(await (await ask('agents.list', undefined, cookie)).json())).toContain('"custody":"held by the server","isCustodial":true')
  })

  it('for the door ioa gives an access key too, without which it can enter no Space', async () => {
    const cookie = await admin()
    const { token, accessKey } = (await change('agents.addTokenHolder', { ...scout, door: 'ioa', days: 30 }, cookie)).answer.result!.data
    expect(await fixture.service.doors.tokens.find(token!, 'ioa')).toBeDefined()
    expect(await fixture.service.doors.accessKeys.find(accessKey!)).toMatchObject({ label: 'Scout', expiresAt: '2026-12-29T12:00:00.000Z' })
    expect(JSON.stringify(await read('accessKeys.list', cookie))).not.toContain(accessKey)
  })

  it('shows by which doors it comes, who holds its key and when it was last seen', async () => {
    const cookie = await admin()
    const { token } = (await change('agents.addTokenHolder', { ...scout, door: 'mcp', days: 30 }, cookie)).answer.result!.data
    const { agentId } = (await change('agents.addKeyHolder', { ...scout, name: 'Keeper', publicKey: newKey().publicKey }, cookie)).answer.result!.data
    const shown = async () => ((await read('agents.list', cookie)) as unknown as { agents: { name: string }[] }).agents
    expect(await shown()).toMatchObject([{ name: 'Scout', doors: ['mcp'], custody: 'held by the server', online: false }, { name: 'Keeper', doors: ['mwp'], custody: 'held by the agent' }])
    expect((await shown()).some((agent) => 'lastSeenAt' in agent)).toBe(false)
    await fixture.service.doors.tokens.find(token!, 'mcp')
    const seenAt = fixture.clock.now()
    fixture.clock.advance(600)
    expect((await shown())[0]).toMatchObject({ online: false, lastSeenAt: seenAt })
    await change('agents.issueToken', { agentId, doors: ['iap'], label: 'bids', days: 1 }, cookie)
    expect((await shown())[1]).toMatchObject({ doors: ['iap', 'mwp'] })
    const [{ tokenId }] = (await read('agents.tokens', cookie)) as [{ tokenId: string }]
    await change('agents.revokeToken', { tokenId }, cookie)
    fixture.clock.advance(2 * 24 * 3600)
    const later = await cookieOf(await fixture.person('Ada', { isAdmin: true }))
    expect(((await read('agents.list', later)) as unknown as { agents: object[] }).agents).toMatchObject([{ doors: [] }, { doors: ['mwp'] }])
  })

  it('that holds its own key gives no token', async () => {
    const { answer } = await change('agents.addKeyHolder', { ...scout, publicKey: newKey().publicKey }, await admin())
    const { agentId, keyId } = answer.result!.data
    expect(fixture.service.identities.key(keyId!)).toMatchObject({ principal: { id: agentId }, custody: 'held by the agent' })
    expect(await fixture.service.doors.tokens.list()).toEqual([])
  })

  it('is followed by more tokens and their end', async () => {
    const cookie = await admin()
    const { agentId } = (await change('agents.addTokenHolder', { ...scout, door: 'mcp' }, cookie)).answer.result!.data
    const { token } = (await change('agents.issueToken', { agentId, doors: ['mcp', 'ioa'], label: 'second laptop', days: 1 }, cookie)).answer.result!.data
    const record = await fixture.service.doors.tokens.find(token!, 'ioa')
    expect(record).toMatchObject({ label: 'second laptop' })
    expect((await change('agents.revokeToken', { tokenId: record!.tokenId }, cookie)).status).toBe(200)
    expect(await fixture.service.doors.tokens.find(token!, 'ioa')).toBeUndefined()
    expect((await change('agents.revokeToken', { tokenId: newUrn() }, cookie)).status).toBe(404)
    expect((await change('agents.issueToken', { agentId: newUrn(), doors: ['mcp'], label: 'x' }, cookie)).status).toBe(400)
  })

  it('and access keys are for administrators alone', async () => {
    const member = await cookieOf(await fixture.person('Ben'))
    const calls: [string, object][] = [
      ['agents.addTokenHolder', { ...scout, door: 'mcp' }],
      ['agents.addKeyHolder', { ...scout, publicKey: newKey().publicKey }],
      ['agents.issueToken', { agentId: newUrn(), doors: ['mcp'], label: 'x' }],
      ['agents.revokeToken', { tokenId: newUrn() }],
      ['accessKeys.create', { label: 'lab' }],
      ['accessKeys.revoke', { accessKeyId: newUrn() }],
    ]
    for (const [path, input] of calls) expect([(await change(path, input, member)).status, (await change(path, input)).status]).toEqual([403, 401])
    for (const path of ['agents.tokens', 'accessKeys.list']) expect([(await ask(path, undefined, member)).status, (await ask(path)).status]).toEqual([403, 401])
    expect(fixture.service.identities.cards()).toEqual([])
    expect(await fixture.service.doors.accessKeys.list()).toEqual([])
  })

  it.each<[string, object]>([
    ['without a name', { name: ' ' }],
    ['with a name that cannot be kept', { name: 'Sc\0out' }],
    ['without capabilities', { capabilities: [] }],
    ['with a capability that is none', { capabilities: [{ id: 'Release', version: '1' }] }],
    ['for a door that takes no token', { door: 'mwp' }],
    ['for half a day', { days: 0.5 }],
    ['with more to say', { isAdmin: true }],
  ])('%s is a bad request that makes nothing', async (_, changes) => {
    expect((await change('agents.addTokenHolder', { ...scout, door: 'ioa', ...changes }, await admin())).status).toBe(400)
    expect([fixture.service.identities.cards(), await fixture.service.doors.accessKeys.list()]).toEqual([[], []])
  })

  it('with an access key lets others in until it is revoked', async () => {
    const cookie = await admin()
    expect(await read('accessKeys.list', cookie)).toEqual([])
    const { accessKey } = (await change('accessKeys.create', { label: 'lab' }, cookie)).answer.result!.data
    const record = await fixture.service.doors.accessKeys.find(accessKey!)
    expect((await change('accessKeys.revoke', { accessKeyId: record!.accessKeyId }, cookie)).status).toBe(200)
    expect(await fixture.service.doors.accessKeys.find(accessKey!)).toBeUndefined()
  })
})

describe('a Mission that cannot be read', () => {
  it('is left out of the lists, which show the others, and is named', async () => {
    const [owner, coordinator, worker] = [await fixture.person('Olga'), await fixture.agent('Coordinator'), await fixture.agent('Worker')]
    const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
    await flow.submitForApproval()
    const { groupId, missionId } = await fixture.mission(owner, coordinator)
    const cookie = await cookieOf(owner)
    const listed = async (path: string) => ((await (await ask(path, undefined, cookie)).json()) as { result: { data: object[] } }).result.data
    expect(await listed('missions.list')).toHaveLength(2)
    damage(groupId)
    expect(await listed('missions.list')).toMatchObject([{ missionId: flow.missionId }])
    expect(await listed('approvals.list')).toMatchObject([{ missionId: flow.missionId }])
    expect(await listed('missions.unreadable')).toEqual([{ missionId, title: 'A release' }])
  })

  it('is not taken for none, where it is the only one', async () => {
    const owner = await fixture.person('Olga')
    const { groupId } = await fixture.mission(owner, await fixture.agent('Coordinator'))
    damage(groupId)
    const cookie = await cookieOf(owner)
    for (const path of ['missions.list', 'approvals.list']) expect((await ask(path, undefined, cookie)).status).toBe(503)
  })
})

describe('the live feed', () => {
  /** Text of the feed until it holds `text`, or all of it. */
  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
    for (let seen = ''; ; ) {
      const { done, value } = await reader.read()
      if (value) seen += new TextDecoder().decode(value)
      if (done || seen.includes(text)) return seen
    }
  }

  async function watching(keyIdOf = ({ keyId }: Person) => keyId) {
    const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
    const { groupId } = await fixture.mission(owner, coordinator)
    const cookie = await cookieOf({ ...owner, keyId: keyIdOf(owner) })
    const reader = (await ask('live', {}, cookie)).body!.getReader()
    expect(await readUntil(reader, `${groupId}@1`)).toContain(`${groupId}@1`)
    const grow = () => fixture.submit(owner, { kind: 'mission.cancel', groupId, membershipEpoch: 1, payload: { reason: 'Over.' } })
    return { owner, cookie, grow, isTold: async () => (await readUntil(reader, `${groupId}@2`)).includes(`${groupId}@2`) }
  }

  it('tells what grew', async () => {
    const { grow, isTold } = await watching()
    await grow()
    expect(await isTold()).toBe(true)
  })

  it('goes on although another Mission of the caller’s cannot be read', async () => {
    const { owner, grow, isTold } = await watching()
    damage((await fixture.mission(owner, await fixture.agent('Scout'))).groupId)
    await grow()
    expect(await isTold()).toBe(true)
  })

  it('ends with the sign-out', async () => {
    const { cookie, grow, isTold } = await watching()
    await change('session.signOut', {}, cookie)
    await grow()
    expect(await isTold()).toBe(false)
  })

  it('ends while nothing grows, and listens no longer', async () => {
    const { feeds } = fixture.service
    const onGrowth = feeds.onGrowth.bind(feeds)
    let listening = 0
    feeds.onGrowth = (listener) => {
      const unsubscribe = onGrowth(listener)
      listening++
      return () => (listening--, unsubscribe())
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { cookie, isTold } = await watching()
    vi.advanceTimersByTime(60_000)
    await change('session.signOut', {}, cookie)
    expect(listening).toBe(1)
    vi.advanceTimersByTime(60_000)
    expect(await isTold()).toBe(false)
    expect([listening, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('ends with the session', async () => {
    const { grow, isTold } = await watching()
    fixture.clock.advance(12 * 3600)
    await grow()
    expect(await isTold()).toBe(false)
  })

  it('ends with the key that opened the session', async () => {
    const { owner, grow, isTold } = await watching((person) => person.conversation.keyId)
    await fixture.service.identities.revokeKey(owner.conversation.keyId)
    await grow()
    expect(await isTold()).toBe(false)
  })
})
