// What an agent is handed when much waits for it, and when messages are committed side by side.
import { describe, expect, it } from 'vitest'
import type { IAPMessage } from '../../../protocol/iap/types.ts'
import { silentLog } from '../../log.ts'
import { ShiftedTime } from '../../testing/iap/shifted-time.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import { Mailboxes } from './mailboxes.ts'
import type { IapStore, KeptIapMessage } from './store-port.ts'
import type { PeerLink } from './types.ts'

const capacity = 3

/** A link with room for so many messages until its peer reads. */
class SlowLink implements PeerLink {
  readonly sent: string[] = []
  asked = 0
  mostWaiting = 0
  #waiting = 0
  #wake = () => {}
  send(text: string): void {
    this.sent.push(text)
    this.mostWaiting = Math.max(this.mostWaiting, ++this.#waiting)
  }
  confirm(count: number): void {
    this.asked = count
  }
  get isFull(): boolean {
    return this.#waiting >= capacity
  }
  drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve()
    setImmediate(() => this.read())
    return new Promise((resolve) => (this.#wake = resolve))
  }
  read(): void {
    this.#waiting = 0
    this.#wake()
  }
  end(): void {}
}

const row = (id: string) => ({ agentId: 'ada', messageId: id, message: id, createdAt: '2026-11-30T08:00:00.000Z' })
const post = async (store: IapStore, ...ids: readonly string[]): Promise<readonly KeptIapMessage[]> => {
  const committed = await store.commit({ tasks: [], records: [], received: [], accounts: [], cache: [], outbox: ids.map(row) })
  if (committed === 'conflict') throw new Error('no conflict was to be expected')
  return committed
}
const limits = { maxWaiting: { count: 3, bytes: 1_000 }, messagesKeptMs: 30 * 24 * 3_600_000 }
const boxes = (store: IapStore, { clock } = new ShiftedTime(), onRoom: (agentId: string) => void = () => undefined) => new Mailboxes({ store, limits, clock, onRoom, diagnostics: silentLog() })
/** Whatever can happen without news from outside has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('Mailboxes', () => {
  it('hand over no more than the link has room for, so that who was away long is not cut off for what waited', async () => {
    const store = createMemoryIap()
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`)
    await post(store, ...ids)
    const [mailboxes, link] = [boxes(store), new SlowLink()]
    mailboxes.open('ada', link)
    while (link.sent.length < ids.length) await settled()
    expect(link.sent).toEqual(ids)
    expect(link.mostWaiting).toBeLessThanOrEqual(capacity)
  })

  it('hand over what was committed out of the order of its entries, and keep what was not confirmed (IAP 1.7 outbox)', async () => {
    const store = createMemoryIap()
    const [mailboxes, link] = [boxes(store), new SlowLink()]
    mailboxes.open('ada', link)
    await settled()
    const [first, second] = [await post(store, 'first'), await post(store, 'second')]
    mailboxes.deliver(second)
    await mailboxes.confirmed('ada', link, link.asked)
    expect((await store.waiting('ada', 0, 10)).map(({ messageId }) => messageId)).toEqual(['first'])
    mailboxes.deliver(first)
    expect(link.sent).toEqual(['second', 'first'])
    await mailboxes.confirmed('ada', link, link.asked)
    expect(await store.waiting('ada', 0, 10)).toEqual([])
  })

  it('find what was committed while a page was read and is older than what it found', async () => {
    const kept = createMemoryIap()
    const [first] = await post(kept, 'first')
    await post(kept, 'second')
    let reads = 0
    const link = new SlowLink()
    const mailboxes: Mailboxes = boxes({
      ...kept,
      async waiting(...asked) {
        const page = await kept.waiting(...asked)
        if (reads++ > 0) return page
        // Its transaction ends between the snapshot of this read and its answer.
        mailboxes.deliver([first!])
        return page.filter(({ messageId }) => messageId !== 'first')
      },
    })
    mailboxes.open('ada', link)
    await settled()
    expect([...link.sent].sort()).toEqual(['first', 'second'])
  })

  it('hand nothing over twice that a page still holds while its confirmation is written', async () => {
    const kept = createMemoryIap()
    const [first] = await post(kept, 'first')
    const second = await post(kept, 'second')
    let written = () => {}
    const link = new SlowLink()
    const mailboxes = boxes({ ...kept, delivered: async (...entries) => (await new Promise<void>((resolve) => (written = resolve)), kept.delivered(...entries)) })
    mailboxes.open('ada', link)
    await settled()
    const confirmed = mailboxes.confirmed('ada', link, link.asked)
    // Committed earlier, told of later, while the link is full: the store is read again from before it.
    link.send('')
    link.send('')
    mailboxes.deliver([first!, ...second])
    await settled()
    written()
    await confirmed
    expect(link.sent.filter((text) => text !== '')).toEqual(['first', 'second'])
    expect(await kept.waiting('ada', 0, 10)).toEqual([])
  })

  it('have room for so many messages and bytes, and again when the agent has some of them', async () => {
    const store = createMemoryIap()
    const [mailboxes, link] = [boxes(store), new SlowLink()]
    mailboxes.deliver(await post(store, 'one', 'two'))
    expect([mailboxes.hasRoom('ada'), mailboxes.hasRoom('ada', { count: 1, bytes: 1 }), mailboxes.hasRoom('ada', { count: 0, bytes: 994 })]).toEqual([true, false, false])
    mailboxes.deliver(await post(store, 'three'))
    const again = boxes(store)
    await again.load()
    expect([mailboxes.hasRoom('ada'), again.hasRoom('ada'), again.hasRoom('ben')]).toEqual([false, false, true])
    again.open('ada', link)
    await settled()
    await again.confirmed('ada', link, 1)
    expect(again.hasRoom('ada')).toBe(true)
  })

  it('say once that there is room again for an agent that had none: it has some of it, or it waited too long', async () => {
    const [store, time, link] = [createMemoryIap(), new ShiftedTime(), new SlowLink()]
    const roomy: string[] = []
    const mailboxes = boxes(store, time, (agentId) => roomy.push(agentId))
    mailboxes.deliver(await post(store, 'one', 'two'))
    mailboxes.open('ada', link)
    await settled()
    await mailboxes.confirmed('ada', link, 1)
    expect(roomy).toEqual([])
    mailboxes.deliver(await post(store, 'three', 'four'))
    await mailboxes.confirmed('ada', link, 2)
    await mailboxes.confirmed('ada', link, 3)
    expect(roomy).toEqual(['ada'])
    mailboxes.close('ada', link)
    mailboxes.deliver(await post(store, 'five', 'six'))
    time.leap(new Date(row('').createdAt).getTime() + limits.messagesKeptMs - time.nowMs() + 60_000)
    await mailboxes.expire()
    expect(roomy).toEqual(['ada', 'ada'])
  })

  it('give up what nobody came for within its time, and say so in its place', async () => {
    const [store, time] = [createMemoryIap(), new ShiftedTime()]
    const [mailboxes, link] = [boxes(store, time), new SlowLink()]
    mailboxes.deliver(await post(store, 'one', 'two', 'three'))
    time.leap(new Date(row('').createdAt).getTime() + limits.messagesKeptMs - time.nowMs() - 60_000)
    await mailboxes.expire()
    expect(mailboxes.hasRoom('ada')).toBe(false)
    time.leap(120_000)
    await mailboxes.expire()
    expect(mailboxes.hasRoom('ada')).toBe(true)
    mailboxes.open('ada', link)
    await settled()
    expect(link.sent.map((text) => JSON.parse(text) as unknown)).toMatchObject([{ type: 'ERROR', to: 'ada', payload: { details: { reason: 'messages_expired', messagesKeptMs: limits.messagesKeptMs } } }])
  })

  it('say once what was lost until the agent comes, and of what is lost later in another message: one of the same id it would take for a repeat', async () => {
    const [store, time] = [createMemoryIap(), new ShiftedTime()]
    const mailboxes = boxes(store, time)
    const lose = async (id: string) => {
      mailboxes.deliver(await post(store, id))
      await mailboxes.expire()
    }
    const fetch = async () => {
      const link = new SlowLink()
      mailboxes.open('ada', link)
      await settled()
      await mailboxes.confirmed('ada', link, link.asked)
      mailboxes.close('ada', link)
      return link.sent.map((text) => (JSON.parse(text) as IAPMessage).messageId)
    }
    time.leap(new Date(row('').createdAt).getTime() + limits.messagesKeptMs - time.nowMs() + 60_000)
    await lose('one')
    await lose('two')
    const first = await fetch()
    time.leap(limits.messagesKeptMs)
    await lose('three')
    const second = await fetch()
    expect([first.length, second.length]).toEqual([1, 1])
    expect(second).not.toEqual(first)
    await lose('four')
    time.leap(2 * limits.messagesKeptMs)
    await mailboxes.expire()
    expect(await fetch()).toHaveLength(1)
  })

  it('forget nothing for the pong of a connection that was replaced', async () => {
    const store = createMemoryIap()
    await post(store, 'm')
    const [mailboxes, old, present] = [boxes(store), new SlowLink(), new SlowLink()]
    mailboxes.open('ada', old)
    await settled()
    mailboxes.open('ada', present)
    await mailboxes.confirmed('ada', old, 1)
    await settled()
    expect(present.sent).toEqual(['m'])
  })
})
