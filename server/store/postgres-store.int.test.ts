import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { describeStore } from '../testing/store-contract.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import { openStore } from './open-store.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')

describe.skipIf(skipReason)(`on PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase | undefined
  afterAll(() => database?.drop())

  describeStore('the Store', async () => {
    database = await createTestDatabase()
    return openStore({ url: database.url, migrationsFolder })
  })
})
