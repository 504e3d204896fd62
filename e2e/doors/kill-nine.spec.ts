// Acknowledged means durable: the server is killed at random moments while real agents work, and the mission still completes.
import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { HumanClient } from '../../sdk/index.ts'
import { eventually } from '../fixtures/eventually.ts'
import { Installation } from '../fixtures/installation.ts'
import { releaseMission } from '../fixtures/release-mission.ts'
import { makeReviewedFolder } from '../fixtures/reviewed-folder.ts'

const kills = 20
const seed = Number(process.env.KILL_SEED ?? Date.now() % 100_000)

test(`${kills} kills at random moments lose nothing acknowledged, agents resume by themselves (A-4, A-22, A-35)`, async () => {
  test.setTimeout(12 * 60_000)
  const random = mulberry(seed)
  const reviewed = await makeReviewedFolder()
  const installation = await Installation.start({ reviewed, hasConsole: false })
  try {
    const owner = await HumanClient.enrol(installation.origin, { token: new URL(installation.ownerInvitation).hash.slice(1), name: 'Owner' })
    const coordinator = await findCoordinator(owner)
    const acknowledged = new Map<string, string>()
    let missionId = ''
    let rounds = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      if (missionId === '' || (await stateOf(owner, missionId)) === 'approved') {
        const created = await owner.createMission(releaseMission(coordinator))
        expect(created.receipt.ok).toBe(true)
        missionId = created.missionId
        rounds += 1
      }
      const writing = writeUntilKilled(owner, missionId, acknowledged)
      await pause(300 + random() * 3_000)
      await installation.killServer()
      await writing.stop()
      await installation.startServer()
      await expectAllThere(owner, missionId, acknowledged)
      if ((await stateOf(owner, missionId)) === 'awaiting_approval') await decide(owner, missionId)
    }
    await eventually(() => stateOf(owner, missionId), (state) => state === 'awaiting_approval' || state === 'approved', { timeoutMs: 240_000, what: 'the submission after the last kill' })
    await decide(owner, missionId)
    await eventually(() => stateOf(owner, missionId), (state) => state === 'approved', { timeoutMs: 30_000, what: 'the approval' })
    expect(rounds).toBeGreaterThan(0)
  } catch (error) {
    console.log(`repeat with KILL_SEED=${seed}\n${installation.output.slice(-4_000)}`)
    throw error
  } finally {
    await installation.stop()
    await rm(reviewed, { recursive: true, force: true })
  }
})

async function findCoordinator(owner: HumanClient): Promise<string> {
  const list = () => owner.query<{ agents: { agentId: string; online: boolean; capabilities: { id: string }[] }[] }>('agents.list')
  const isReady = ({ agents }: Awaited<ReturnType<typeof list>>) => agents.filter((agent) => agent.online).length >= 3
  const { agents } = await eventually(list, isReady, { timeoutMs: 60_000, what: 'three agents online' })
  return agents.find((agent) => agent.capabilities.some(({ id }) => id === 'countersign.coordination'))!.agentId
}

const stateOf = async (owner: HumanClient, missionId: string) => (await owner.missionView(missionId)).state

async function decide(owner: HumanClient, missionId: string): Promise<void> {
  if ((await stateOf(owner, missionId)) !== 'awaiting_approval') return
  expect(await owner.approve(missionId)).toMatchObject({ ok: true })
}

/** Posts messages one after another and notes each that was acknowledged, until the server dies under it. */
function writeUntilKilled(owner: HumanClient, missionId: string, acknowledged: Map<string, string>): { stop(): Promise<void> } {
  let isStopped = false
  const done = (async () => {
    for (let n = 0; !isStopped; n += 1) {
      const text = `note ${acknowledged.size}-${n}`
      try {
        const receipt = await owner.post(missionId, text)
        if (receipt.ok) acknowledged.set(receipt.value.eventId, missionId)
      } catch {
        return
      }
      await pause(20)
    }
  })()
  return {
    async stop() {
      isStopped = true
      await done
    },
  }
}

async function expectAllThere(owner: HumanClient, missionId: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const there = new Set<string>()
  let before: number | undefined
  for (;;) {
    const page = await owner.query<{ messages: { eventId: string; sequence: number }[]; hasOlder: boolean }>('missions.conversation', { missionId, limit: 500, ...(before && { before }) })
    for (const message of page.messages) there.add(message.eventId)
    if (!page.hasOlder) break
    before = page.messages[0]!.sequence
  }
  const lost = [...acknowledged].filter(([eventId, mission]) => mission === missionId && !there.has(eventId))
  expect(lost).toEqual([])
}

/** A small seeded generator, so that a failing run can be repeated with KILL_SEED. */
function mulberry(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
