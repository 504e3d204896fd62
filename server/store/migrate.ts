import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Sql } from './connect.ts'
import { StoreFault } from './store-fault.ts'

/**
 * Brings the database to the newest migration of the folder, all of them in one transaction. Nodes may start together:
 * one migrates, the others wait for it. Throws StoreFault `database-newer` when a newer program has been here, and
 * `migration-changed` when an applied migration is not the one in the folder.
 */
export async function migrate(sql: Sql, migrationsFolder: string): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder })
  await sql.begin(async (transaction) => {
    await transaction`SET LOCAL statement_timeout = 0`
    await transaction`SELECT pg_advisory_xact_lock(hashtextextended('countersign.migrations', 0))`
    await transaction`CREATE TABLE IF NOT EXISTS schema_migrations (position integer PRIMARY KEY, hash text NOT NULL)`
    const applied = await transaction<{ hash: string }[]>`SELECT hash FROM schema_migrations ORDER BY position`
    requirePrefix(applied.map((row) => row.hash), migrations.map((migration) => migration.hash))
    for (const [offset, migration] of migrations.slice(applied.length).entries()) {
      for (const statement of migration.sql) await transaction.unsafe(statement)
      await transaction`INSERT INTO schema_migrations VALUES (${applied.length + offset}, ${migration.hash})`
    }
  })
}

function requirePrefix(applied: readonly string[], known: readonly string[]): void {
  if (applied.length > known.length) {
    throw new StoreFault('database-newer', `the database has ${applied.length} migrations, this program knows ${known.length}`)
  }
  const changed = applied.findIndex((hash, position) => hash !== known[position])
  if (changed !== -1) throw new StoreFault('migration-changed', `migration ${changed} was applied in another form`)
}
