import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { newId, sampleBatch } from '../testing/batch-samples.ts'
import { append, appendAll } from './append.ts'
import type { Sql } from './connect.ts'

const databaseError = (code: string, constraint = '') =>
  Object.assign(Object.create(postgres.PostgresError.prototype) as Error, { code, constraint_name: constraint, message: 'log_event_id_once receipts_action_id_once' })

/** A driver that gives these answers in turn, errors by rejecting. */
function driver(...answers: readonly (Error | { space_id: string }[])[]) {
  const statements: string[] = []
  const spaces: string[] = []
  const unsafe = async (text: string, [ids]: readonly string[]) => {
    spaces.push(ids!)
    const answer = answers[statements.push(text) - 1]
    if (answer instanceof Error || !answer) throw answer ?? new RangeError('no more answers')
    return answer
  }
  return { sql: { unsafe } as unknown as Sql, statements, spaces }
}

describe('append', () => {
  const batch = sampleBatch(newId(), 0)

  it('repeats the whole statement after a serialization failure or a deadlock (6.3)', async () => {
    const { sql, statements } = driver(databaseError('40001'), databaseError('40P01'), [{ space_id: batch.spaceId }])
    expect(await append(sql, batch)).toEqual({ ok: true })
    expect(new Set(statements).size).toBe(1)
    expect(statements).toHaveLength(3)
  })

  it('gives up after five attempts', async () => {
    const { sql, statements } = driver(...Array.from({ length: 9 }, () => databaseError('40001')))
    await expect(append(sql, batch)).rejects.toMatchObject({ code: '40001' })
    expect(statements).toHaveLength(5)
  })

  it('never repeats a statement whose outcome is unknown', async () => {
    const { sql, statements } = driver(Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' }), [{ space_id: batch.spaceId }])
    await expect(append(sql, batch)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(statements).toHaveLength(1)
  })

  it.each([
    ['log_one_event_per_sequence', 'head'],
    ['log_event_id_once', 'event-id'],
    ['receipts_action_id_once', 'action-id'],
    ['receipts_document_once', 'admission'],
    ['admissions_document_once', 'admission'],
    ['admissions_record_id_once', 'admission'],
    ['missions_id_once', 'mission-id'],
  ])('takes a violation of %s for the conflict %s', async (constraint, conflict) => {
    expect(await append(driver(databaseError('23505', constraint)).sql, batch)).toEqual({ ok: false, conflict })
  })

  it('writes nothing where a node is no Event of the batch, or of another kind', async () => {
    for (const node of [{ sequence: 2, kind: 'message.posted' }, { sequence: 1, kind: 'work.started' }]) {
      const { sql, statements } = driver([{ space_id: batch.spaceId }])
      await expect(append(sql, { ...batch, rows: { ...batch.rows, nodes: [node] } })).rejects.toThrow('a node is an Event of the batch')
      expect(statements).toEqual([])
    }
  })

  it('throws for any other violation, whatever its message says', async () => {
    await expect(append(driver(databaseError('23505', 'graph_edges_once')).sql, batch)).rejects.toMatchObject({ code: '23505' })
    await expect(append(driver(databaseError('23514', 'log_event_id_once')).sql, batch)).rejects.toMatchObject({ code: '23514' })
  })

  it('lets a batch that the server refuses spoil no other one', async () => {
    const [poisoned, taken, sound] = [sampleBatch(newId(), 0), sampleBatch(newId(), 0), sampleBatch(newId(), 0)]
    const invalidText = databaseError('22021')
    const { sql, statements } = driver(invalidText, invalidText, databaseError('23505', 'missions_id_once'), [{ space_id: sound.spaceId }])
    expect(await appendAll(sql, [poisoned, taken, sound])).toEqual([
      { status: 'rejected', reason: invalidText },
      { status: 'fulfilled', value: { ok: false, conflict: 'mission-id' } },
      { status: 'fulfilled', value: { ok: true } },
    ])
    expect(statements).toHaveLength(4)
  })

  it('gives up on several only one by one', async () => {
    const batches = [sampleBatch(newId(), 0), sampleBatch(newId(), 0)]
    const { sql } = driver(...Array.from({ length: 5 }, () => databaseError('40P01')), ...batches.map(({ spaceId }) => [{ space_id: spaceId }]))
    expect((await appendAll(sql, batches)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })

  it('takes the locks of Spaces in one order, so that two nodes never wait in a ring, and answers each its own (6.3)', async () => {
    const batches = ['b', 'c', 'a'].map((name) => sampleBatch(`urn:test:${name}`, 0))
    const { sql, spaces } = driver([{ space_id: 'urn:test:c' }])
    expect(await appendAll(sql, batches)).toEqual([{ ok: false, conflict: 'head' }, { ok: true }, { ok: false, conflict: 'head' }].map((value) => ({ status: 'fulfilled', value })))
    expect(spaces).toEqual(['{"urn:test:a","urn:test:b","urn:test:c"}'])
  })

  it('sends one text for batches of any size, so that it is prepared once', async () => {
    const { sql, statements } = driver([{ space_id: batch.spaceId }], [{ space_id: batch.spaceId }])
    await append(sql, batch)
    await append(sql, sampleBatch(newId(), 1, { count: 32 }))
    expect(statements[0]).toBe(statements[1])
    expect(statements[0]).not.toContain('graph_edges')
  })

  it('refuses rows of another Space', async () => {
    const foreign = { ...batch, receipts: sampleBatch(newId(), 0).receipts }
    await expect(append(driver().sql, foreign)).rejects.toThrow('one Space')
  })
})
