import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import type { Sql } from './connect.ts'
import { connect } from './connect.ts'
import { NotifyingWakeUps } from './wake-ups.ts'

describe.skipIf(skipReason)(`wake-ups over PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  const pools: Sql[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(async () => {
    await Promise.all(pools.map((sql) => sql.end()))
    await database.drop()
  })

  function pool(): Sql {
    const sql = connect(database.url, 'postgres', 2)
    pools.push(sql)
    return sql
  }

  it('tells of a gap once the broken connection listens again, and hears what comes then', async () => {
    const [near, far] = await Promise.all([NotifyingWakeUps.start(pool()), NotifyingWakeUps.start(pool())])
    const heard = new Set<string>()
    let gaps = 0
    near.subscribe((spaceId) => heard.add(spaceId), () => (gaps += 1))
    expect(gaps).toBe(0)
    await pool().unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'listen%' AND datname = current_database()")
    await expect.poll(() => gaps, { timeout: 20_000 }).toBeGreaterThan(0)
    far.publish('urn:x:grown')
    await expect.poll(() => heard.has('urn:x:grown'), { timeout: 10_000 }).toBe(true)
    await Promise.all([near.stop(), far.stop()])
  })

  it('tells again what a failed NOTIFY was to tell', async () => {
    let failures = 1
    const unsteady = new Proxy(pool(), {
      apply: (target, self, parameters: Parameters<Sql>) => (failures-- > 0 ? Promise.reject(new Error('the connection broke')) : Reflect.apply(target as unknown as () => unknown, self, parameters)),
    })
    const [near, far] = await Promise.all([NotifyingWakeUps.start(pool()), NotifyingWakeUps.start(unsteady)])
    const heard = new Set<string>()
    near.subscribe((spaceId) => heard.add(spaceId))
    far.publish('urn:x:told-twice')
    await expect.poll(() => heard.has('urn:x:told-twice'), { timeout: 10_000 }).toBe(true)
    expect(failures).toBeLessThan(0)
    await Promise.all([near.stop(), far.stop()])
  })
})
