// What every Store promises the I.A.P. router.
import { describe, expect, it } from 'vitest'
import type { IapCommit, IapStore, Store } from '../service/ports.ts'
import { newId } from './batch-samples.ts'

const at = '2026-11-30T08:00:00.000Z'
const nothing: IapCommit = { tasks: [], records: [], outbox: [], received: [], accounts: [], cache: [] }
const task = (taskId: string, changes = {}) => ({ taskId, spaceId: newId(), proposerId: 'ada', status: 'bidding', isOver: false, ...changes })
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

    it('gives the messages of a commit their entries in order, each message of an agent once', async () => {
      const agentId = newId()
      const texts = Array.from({ length: 30 }, (_, index) => `m${index}`)
      const added = await commit({ outbox: texts.map((text) => outgoing(agentId, text)) })
      expect(added).not.toBe('conflict')
      expect((added as readonly { messageId: string }[]).map(({ messageId }) => messageId)).toEqual(texts)
      expect(await commit({ outbox: [outgoing(agentId, 'm3')] })).toEqual([])
      expect(await waiting(agentId, 0, 5)).toEqual(texts.slice(0, 5))
      const entries = (await store().iap.waiting(agentId, 0, 2)).map(({ entry }) => entry)
      await store().iap.delivered(agentId, entries)
      expect(await waiting(agentId, 0, 2)).toEqual(['m2', 'm3'])
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
  })
}
