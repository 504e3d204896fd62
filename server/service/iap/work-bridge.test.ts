// What the bridge reads of a task whose WorkItem it looks after, and whom it tells of an award.
import { describe, expect, it } from 'vitest'
import type { IAPMessage } from '../../../protocol/iap/types.ts'
import { recordIdOf } from '../../authority/negotiation.ts'
import type { GroupState } from '../../authority/types.ts'
import { silentLog } from '../../log.ts'
import { ShiftedTime } from '../../testing/iap/shifted-time.ts'
import { IapTask } from '../../testing/iap-task.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import type { IapStore, IapTaskRow, KeptIapRecord } from './store-port.ts'
import { REFUSED } from './store-port.ts'
import type { WorkBridgeNeeds } from './work-bridge.ts'
import { WORK_OFFER_CONTEXT, WorkBridge } from './work-bridge.ts'

const work = { groupId: 'group', workItemId: 'item', requiredCapabilities: [], workerIds: ['ben'] }
const row: IapTaskRow = { taskId: 'task_1', spaceId: 'group', proposerId: 'proposer', status: 'in_progress', isOver: false, bytes: 0, work }

/** A task that Ben, who signs for himself, has in hand for a WorkItem; its bridge, and what that reads. */
class World {
  readonly task = new IapTask('ben')
  readonly state: GroupState
  recordsRead = 0
  /** Whether the Group cannot be read just now. */
  isGroupAway = false
  /** Agents that there is no more room for. */
  readonly full = new Set<string>()
  readonly told: IAPMessage[] = []
  readonly #store = createMemoryIap()
  #bridge: WorkBridge
  #grown: (groupId: string) => void = () => undefined
  #looked: () => void = () => undefined
  #keptCount = 0

  private constructor(itemState: string) {
    this.state = { mission: { state: 'active', coordinator: { agentId: 'proposer' } }, workItems: new Map([['item', { item: { state: itemState } }]]), memberships: new Map(), delegations: new Map(), sequenceOf: new Map(), eventIds: [] } as unknown as GroupState
    this.#bridge = this.#newBridge()
  }

  static async inHand(itemState = 'active'): Promise<World> {
    const world = new World(itemState)
    world.task.agent('ben').speaksAdditions = true
    world.task.propose({ maxLatency: 600_000 })
    world.task.bid('ben')
    world.task.accept('ben')
    await world.keep()
    return world
  }

  /** Keeps what the task has led to; all of it stands in the Group. */
  async keep(): Promise<void> {
    for (const { ordinal } of await this.keepUnnoted()) await this.note(ordinal, recordIdOf('item', 'task_1', ordinal))
  }

  /** Keeps what the task has led to; it stands in the Group, and nobody has noted it yet. */
  async keepUnnoted(): Promise<readonly { readonly ordinal: number }[]> {
    const added = this.task.records.slice(this.#keptCount)
    this.#keptCount += added.length
    for (const { ordinal } of added) this.state.sequenceOf.set(recordIdOf('item', 'task_1', ordinal), ordinal + 1)
    await this.#store.commit({ tasks: [row], records: added.map((record) => ({ taskId: 'task_1', ordinal: record.ordinal, record: JSON.stringify(record) })), outbox: [], received: [], accounts: [], cache: [] })
    return added
  }

  note(ordinal: number, messageId: string): Promise<void> {
    return this.#store.published('task_1', ordinal, messageId)
  }

  /** Something happens in the Group, and the bridge has looked. */
  event(): Promise<void> {
    return this.next(() => this.#grown('group'))
  }

  /** The task was told on, as after each of its records, and the bridge has looked. */
  toldOn(): Promise<void> {
    return this.next(() => this.#bridge.advance(row))
  }

  /** There is room for the agent again, and the bridge has looked. */
  roomFor(agentId: string): Promise<void> {
    this.full.delete(agentId)
    return this.next(() => this.#bridge.roomFor(agentId))
  }

  async next(act: () => void): Promise<void> {
    const looked = new Promise<void>((resolve) => (this.#looked = resolve))
    act()
    await looked
  }

  async restart(): Promise<void> {
    await this.#bridge.stop()
    this.#bridge = this.#newBridge()
    await this.next(() => void this.#bridge.start())
  }

  async isAtWork(): Promise<boolean> {
    return (await this.#store.tasksAtWork()).length > 0
  }

  #newBridge(): WorkBridge {
    const counted = (rows: readonly KeptIapRecord[]) => ((this.recordsRead += rows.length), rows)
    const needs = {
      store: {
        ...this.#store,
        recordsFrom: async (...asked: Parameters<IapStore['recordsFrom']>) => counted(await this.#store.recordsFrom(...asked)),
        workOver: (taskId: string) => this.#store.workOver(taskId).then(() => this.#looked()),
      },
      // The last question of each look at a task that somebody else signs for.
      custody: { holds: () => (this.#looked(), false) },
      stateOf: () => (this.isGroupAway ? Promise.reject(new Error('the Group cannot be read')) : Promise.resolve(this.state)),
      feeds: { onGrowth: (listener: (groupId: string) => void) => ((this.#grown = listener), () => undefined) },
      holdsOwnKey: (principalId: string) => principalId !== 'custodial',
      policy: () => ({}),
      clock: new ShiftedTime().clock,
      nodes: { principalOf: async (agentId: string) => agentId, agentIdOf: async (principalId: string) => (principalId === 'stranger' ? undefined : principalId) },
      tell: async (message: IAPMessage) => !this.full.has(message.to) && this.told.push(message) > 0,
      diagnostics: { ...silentLog(), error: () => this.#looked() },
    }
    return new WorkBridge(needs as unknown as WorkBridgeNeeds)
  }
}

describe('WorkBridge', () => {
  it('reads each record of a task once, however much happens in its Group; the next run begins anew', async () => {
    const world = await World.inHand()
    await world.toldOn()
    expect(world.recordsRead).toBe(world.task.records.length)
    for (let index = 0; index < 50; index++) {
      world.task.part('ben', index)
      await world.keep()
      await world.toldOn()
      await world.event()
    }
    expect(world.task.records.length).toBeGreaterThan(50)
    expect(world.recordsRead).toBe(world.task.records.length)
    await world.restart()
    expect(world.recordsRead).toBe(2 * world.task.records.length)
    await world.event()
    expect(world.recordsRead).toBe(2 * world.task.records.length)
  })

  it('hears of a refusal that is noted after the record was read', async () => {
    const world = await World.inHand()
    world.task.part('ben', 0)
    const [part] = await world.keepUnnoted()
    await world.toldOn()
    expect(await world.isAtWork()).toBe(true)
    await world.note(part!.ordinal, REFUSED)
    await world.event()
    expect(await world.isAtWork()).toBe(false)
  })

  it('does not lose a refusal to a fault that comes after it was read', async () => {
    const world = await World.inHand()
    await world.toldOn()
    world.task.part('ben', 0)
    const [part] = await world.keepUnnoted()
    await world.note(part!.ordinal, REFUSED)
    world.isGroupAway = true
    await world.event()
    expect(await world.isAtWork()).toBe(true)
    world.isGroupAway = false
    await world.event()
    expect(await world.isAtWork()).toBe(false)
  })

  it('tells the Coordinator of an award once, and when there was no room for it, as soon as there is', async () => {
    const world = await World.inHand('open')
    world.full.add('proposer')
    await world.toldOn()
    await world.event()
    expect(world.told).toEqual([])
    await world.roomFor('proposer')
    expect(world.told).toMatchObject([{ type: 'CONTEXT_TRANSFER', to: 'proposer', payload: { contextType: WORK_OFFER_CONTEXT, data: { offer: { workItemId: 'item', candidateAgentIds: ['ben'] } } } }])
    await world.event()
    expect(world.told).toHaveLength(1)
  })

  it('tells a new Coordinator of an award once it has taken stock, before which it may not offer work (A-121)', async () => {
    const world = await World.inHand('open')
    Object.assign(world.state, { mission: { state: 'active', coordinator: { agentId: 'nora' } }, takeover: { sequence: 7, predecessorId: 'proposer' } })
    await world.toldOn()
    expect(world.told).toEqual([])
    delete world.state.takeover
    await world.event()
    expect(world.told.map(({ to }) => to)).toEqual(['nora'])
  })

  it.each([
    ['proposer', 'the Coordinator that proposed it', ['proposer']],
    ['nora', 'its successor, which may sign the offer now', ['proposer', 'nora']],
    ['custodial', 'no successor whose key the server holds', ['proposer']],
    ['stranger', 'no successor that is no agent of this door', ['proposer']],
  ])('tells of an award, with %s in office: %s', async (coordinatorId, _whom, told) => {
    const world = await World.inHand('open')
    await world.toldOn()
    Object.assign(world.state.mission.coordinator, { agentId: coordinatorId })
    await world.event()
    await world.event()
    expect(world.told.map(({ to }) => to)).toEqual(told)
    expect(new Set(world.told.map(({ messageId }) => messageId)).size).toBe(told.length)
  })
})
