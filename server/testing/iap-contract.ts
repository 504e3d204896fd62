// What every Store promises the I.A.P. router.
import { describe, expect, it } from 'vitest'
import type { IapCommit, IapStore, Store } from '../service/ports.ts'
import { newId } from './batch-samples.ts'

const at = '2026-11-30T08:00:00.000Z'
const nothing: IapCommit = { tasks: [], records: [], outbox: [], received: [], accounts: [], cache: [] }
const task = (taskId: string, changes = {}) => ({ taskId, spaceId: newId(), proposerId: 'ada', status: 'bidding', isOver: false, bytes: 0, ...changes })
const record = (taskId: string, ordinal: number) => ({ taskId, ordinal, record: JSON.stringify({ ordinal, text: 'ä \u0000 "' }) })
const outgoing = (agentId: string, text: string) => ({ agentId, messageId: text, message: JSON.stringify({ text }), createdAt: at })

export function describeIap(store: () => Store): void {
  const commit = (changes: Partial<IapCommit>) => store().iap.commit({ ...nothing, ...changes })
  const waiting = async (...[agentId, after = 0, limit = 10]: [string, number?, number?]) => (await store().iap.waiting(agentId, after, limit)).map(({ messageId }) => messageId)

  describe('I.A.P.', () => {
    it('keeps a commit as a whole or not at all: a record of a used ordinal is a conflict', async () => {
      const [taskId, agentId] = [newId(), newId()]
      await commit({ tasks: [task(taskId)], records: [record(taskId, 0), record(taskId, 1)], outbox: [outgoing(agentId, 'first')] })
      const refused = { tasks: [task(taskId, { status: 'failed' })], records: [record(taskId, 1)], outbox: [outgoing(agentId, 'second')], received: [{ agentId, messageId: 'm', contentHash: 'h', answers: '[]', receivedAt: at }] }
      expect(await commit(refused)).toBe('conflict')
      expect(await waiting(agentId)).toEqual(['first'])
      expect(await store().iap.findReceived(agentId, 'm')).toBeUndefined()
      expect((await store().iap.findTask(taskId))!.status).toBe('bidding')
      expect(await store().iap.records([taskId])).toEqual([record(taskId, 0), record(taskId, 1)])
    })

    it('reads the records of a task on from an ordinal, each with the id under which it stands by now', async () => {
      const [taskId, other] = [newId(), newId()]
      await commit({ tasks: [task(taskId), task(other)], records: [record(other, 2), ...[0, 1, 2, 3].map((ordinal) => record(taskId, ordinal))] })
      await store().iap.published(taskId, 2, 'urn:message')
      expect(await store().iap.recordsFrom(taskId, 2)).toEqual([{ ...record(taskId, 2), messageId: 'urn:message' }, record(taskId, 3)])
      expect(await store().iap.recordsFrom(taskId, 4)).toEqual([])
    })

    it('gives the messages of a commit their entries in order, each message of an agent once', async () => {
      const agentId = newId()
      const texts = Array.from({ length: 30 }, (_, index) => `m${index}`)
      const added = await commit({ outbox: texts.map((text) => outgoing(agentId, text)) })
      expect(added).not.toBe('conflict')
      expect((added as readonly { messageId: string }[]).map(({ messageId }) => messageId)).toEqual(texts)
      expect(await commit({ outbox: [outgoing(agentId, 'm3')] })).toEqual([])
      expect(await waiting(agentId, 0, 5)).toEqual(texts.slice(0, 5))
      const entries = (await store().iap.waiting(agentId, 0, 2)).map(({ entry }) => entry)
      const bytes = Buffer.byteLength(outgoing(agentId, 'm0').message)
      expect((await store().iap.backlogs()).get(agentId)).toMatchObject({ count: 30 })
      expect(await store().iap.delivered(agentId, entries)).toEqual({ count: 2, bytes: 2 * bytes })
      expect(await store().iap.delivered(agentId, entries)).toEqual({ count: 0, bytes: 0 })
      expect((await store().iap.backlogs()).get(agentId)).toMatchObject({ count: 28 })
      expect(await waiting(agentId, 0, 2)).toEqual(['m2', 'm3'])
    })

    it('gives up what waits from before, and puts one notice in its place', async () => {
      const [agentId, other] = [newId(), newId()]
      const old = (agent: string, text: string) => ({ ...outgoing(agent, text), createdAt: '2020-01-01T00:00:00.000Z' })
      await commit({ outbox: [old(agentId, 'älter'), outgoing(agentId, 'young'), old(other, 'kept')] })
      const expire = () => store().iap.expire(outgoing(agentId, 'notice'), '2020-01-02T00:00:00.000Z')
      const { gone, added } = await expire()
      expect(gone).toEqual({ count: 1, bytes: Buffer.byteLength(old(agentId, 'älter').message) })
      expect(added).toMatchObject([{ agentId, messageId: 'notice', message: outgoing(agentId, 'notice').message }])
      expect(await expire()).toEqual({ gone: { count: 0, bytes: 0 }, added: [] })
      await commit({ outbox: [old(agentId, 'older')] })
      expect((await expire()).added).toEqual([])
      expect([await waiting(agentId), await waiting(other)]).toEqual([['young', 'notice'], ['kept']])
    })

    it('keeps the newest answers of an agent', async () => {
      const [agentId, other] = [newId(), newId()]
      const row = (agent: string, day: number) => ({ agentId: agent, messageId: `m${day}`, contentHash: 'h', answers: '[]', receivedAt: `2020-01-0${day}T00:00:00.000Z` })
      await commit({ received: [row(agentId, 1), row(agentId, 3), row(agentId, 2), row(other, 1)] })
      await store().iap.trimReceived(agentId, 2)
      const found = await Promise.all([[agentId, 'm1'], [agentId, 'm2'], [agentId, 'm3'], [other, 'm1']].map(([agent, id]) => store().iap.findReceived(agent!, id!)))
      expect(found.map((each) => each !== undefined)).toEqual([false, true, true, true])
    })

    it('forgets tasks that ended long ago with their records, and no other; none that its Space or WorkItem still waits for', async () => {
      const work = { groupId: newId(), workItemId: newId(), requiredCapabilities: [], workerIds: [] }
      const ended = (changes = {}) => task(newId(), { isOver: true, endedAt: '2020-01-01T00:00:00.000Z', ...changes })
      const rows = [ended(), ended({ endedAt: '2020-01-03T00:00:00.000Z' }), task(newId()), ended({ work }), ended()]
      const [gone, young, open, atWork, unpublished] = rows.map(({ taskId }) => taskId) as [string, string, string, string, string]
      await commit({ tasks: rows, records: rows.map(({ taskId }) => record(taskId, 0)) })
      for (const { taskId } of rows) if (taskId !== unpublished) await store().iap.published(taskId, 0, newId())
      expect(await store().iap.forgetTasks('2020-01-02T00:00:00.000Z')).toEqual([gone])
      expect(await Promise.all(rows.map(async ({ taskId }) => (await store().iap.findTask(taskId)) !== undefined))).toEqual([false, true, true, true, true])
      expect(new Set((await store().iap.records(rows.map(({ taskId }) => taskId))).map(({ taskId }) => taskId))).toEqual(new Set([young, open, atWork, unpublished]))
    })

    it('forgets of a proposer the ended tasks beyond a number or beyond a size, oldest first', async () => {
      const proposerId = newId()
      const rows = [1, 2, 3, 4].map((day) => task(newId(), { proposerId, isOver: true, bytes: 10, endedAt: `2020-01-0${day}T00:00:00.000Z` }))
      await commit({ tasks: [...rows, task(newId(), { proposerId, bytes: 1_000 })] })
      expect(await store().iap.trimTasks(proposerId, { count: 3, bytes: 1_000 })).toEqual([rows[0]!.taskId])
      expect(await store().iap.trimTasks(proposerId, { count: 3, bytes: 20 })).toEqual([rows[1]!.taskId])
      expect(await store().iap.findTask(rows[2]!.taskId)).toEqual(rows[2])
    })

    it('remembers the first answers to a message, until they are forgotten', async () => {
      const agentId = newId()
      const row = { agentId, messageId: 'm', contentHash: 'h', answers: '[1]', receivedAt: '2020-01-01T00:00:00.000Z' }
      await commit({ received: [row] })
      await commit({ received: [{ ...row, answers: '[2]' }] })
      expect(await store().iap.findReceived(agentId, 'm')).toEqual(row)
      await store().iap.forgetReceived('2020-01-02T00:00:00.000Z')
      expect(await store().iap.findReceived(agentId, 'm')).toBeUndefined()
    })

    it('lists the tasks that go on, those that are not published, and those at work', async () => {
      const [open, over] = [newId(), newId()]
      const work = { groupId: newId(), workItemId: newId(), requiredCapabilities: [{ id: 'a.b', version: '1.0.0' }], workerIds: [newId()] }
      await commit({ tasks: [task(open, { cacheKey: 'k', work }), task(over, { isOver: true, status: 'failed' })], records: [record(open, 0), record(over, 0)] })
      const ids = async (list: ReturnType<IapStore['openTasks']>) => (await list).map(({ taskId }) => taskId).filter((taskId) => [open, over].includes(taskId))
      expect(await ids(store().iap.openTasks())).toEqual([open])
      expect(await store().iap.findTask(open)).toMatchObject({ cacheKey: 'k', work })
      expect(await ids(store().iap.tasksAtWork())).toEqual([open])
      await store().iap.workOver(open)
      expect(await ids(store().iap.tasksAtWork())).toEqual([])
      expect(await store().iap.unpublishedTasks()).toEqual(expect.arrayContaining([open, over]))
      await store().iap.published(open, 0, 'urn:message')
      expect(await store().iap.unpublishedTasks()).not.toContain(open)
      expect(await store().iap.records([open])).toEqual([{ ...record(open, 0), messageId: 'urn:message' }])
      await commit({ tasks: [task(open, { isOver: true, status: 'completed' })] })
      expect(await ids(store().iap.openTasks())).toEqual([])
      expect(await store().iap.findTask(open)).toMatchObject({ status: 'completed', isOver: true, work })
    })

    it('keeps the latest account of a capability and the latest result of a question', async () => {
      const [agentId, cacheKey] = [newId(), newId()]
      const counts = { awarded: 1, completed: 1, failed: 0, timedOut: 0, released: 0 }
      await commit({ accounts: [{ agentId, capabilityId: 'c', record: counts }], cache: [{ cacheKey, result: '1', taskId: 'a', storedAt: at }] })
      await commit({ accounts: [{ agentId, capabilityId: 'c', record: { ...counts, awarded: 2 } }], cache: [{ cacheKey, result: '2', taskId: 'b', storedAt: at }] })
      expect((await store().iap.accounts()).filter((row) => row.agentId === agentId)).toEqual([{ agentId, capabilityId: 'c', record: { ...counts, awarded: 2 } }])
      expect(await store().iap.cached(cacheKey)).toEqual({ cacheKey, result: '2', taskId: 'b', storedAt: at })
    })

    it('forgets results that are old, and the oldest beyond a number or a size', async () => {
      const rows = [1, 2, 3, 4].map((day) => ({ cacheKey: newId(), result: '"äää"', taskId: 'a', storedAt: `2030-01-0${day}T00:00:00.000Z` }))
      await commit({ cache: rows })
      const kept = async () => (await Promise.all(rows.map(({ cacheKey }) => store().iap.cached(cacheKey)))).map((row) => row !== undefined)
      await store().iap.trimCache('2030-01-02T00:00:00.000Z', { count: 100, bytes: 1_000 })
      expect(await kept()).toEqual([false, true, true, true])
      await store().iap.trimCache('2020-01-01T00:00:00.000Z', { count: 2, bytes: 1_000 })
      expect(await kept()).toEqual([false, false, true, true])
      await store().iap.trimCache('2020-01-01T00:00:00.000Z', { count: 100, bytes: 15 })
      expect(await kept()).toEqual([false, false, false, true])
    })
  })
}
