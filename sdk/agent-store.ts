// What an Agent must not forget when it is stopped at any moment: one SQLite file, one Agent, one process.
import { rmSync } from 'node:fs'
import sqlite from 'node-sqlite3-wasm'
import type { Database, Statement } from 'node-sqlite3-wasm'
import type { EventDocument, Progress } from '../protocol/generated/types.ts'
import type { CommandOutbox, OutboxEntry } from './command-sender.ts'
import type { CursorStore } from './cursor-store.ts'
import { claimFile } from './store-claim.ts'

/** Where a paused execution stands. `state` is the Worker's own, any JSON. */
export interface SavedCheckpoint {
  readonly progress: Progress
  readonly state: unknown
}

/** A WorkItem under one ownership. */
export interface OwnedItem {
  readonly groupId: string
  readonly workItemId: string
  readonly ownershipEpoch: number
}

/** An act upon the outside world, done or perhaps done. */
export type EffectRecord = { readonly isDone: false } | { readonly isDone: true; readonly result: unknown }

const TABLES = `
  CREATE TABLE IF NOT EXISTS positions (group_id TEXT PRIMARY KEY, received INTEGER NOT NULL, cursor INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS inbox (group_id TEXT NOT NULL, sequence INTEGER NOT NULL, event_id TEXT NOT NULL UNIQUE, event TEXT NOT NULL, PRIMARY KEY (group_id, sequence)) STRICT;
  CREATE TABLE IF NOT EXISTS queue (group_id TEXT NOT NULL, work_item_id TEXT NOT NULL, passed_over INTEGER NOT NULL, PRIMARY KEY (group_id, work_item_id)) STRICT;
  CREATE TABLE IF NOT EXISTS mirrors (group_id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, mirror TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (action_id TEXT PRIMARY KEY, bytes BLOB NOT NULL, is_resumable INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS effects (effect_key TEXT PRIMARY KEY, result TEXT, group_id TEXT, work_item_id TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS checkpoints (group_id TEXT NOT NULL, work_item_id TEXT NOT NULL, saved TEXT NOT NULL, ownership_epoch INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (group_id, work_item_id)) STRICT;
`

/** Columns that files of the first version lack. A checkpoint from there belongs to no ownership and is not used again. */
const ADDED_COLUMNS = [
  ['outbox', 'is_resumable', 'INTEGER NOT NULL DEFAULT 0'],
  ['effects', 'group_id', 'TEXT'],
  ['effects', 'work_item_id', 'TEXT'],
  ['checkpoints', 'ownership_epoch', 'INTEGER NOT NULL DEFAULT 0'],
] as const

const MEMORY = ':memory:'

/** Opens the file, or makes it; `:memory:` keeps nothing. Throws when a process has the file open. */
export async function openAgentStore(path: string): Promise<AgentStore> {
  if (path === MEMORY) return new AgentStore(new SqlFile(path))
  const release = claimFile(path)
  try {
    // The folder by which SQLite locks here stays behind when a process is killed; whoever has the claim may remove it.
    rmSync(`${path}.lock`, { recursive: true, force: true })
    return new AgentStore(new SqlFile(path), release)
  } catch (fault) {
    release()
    throw fault
  }
}

type SqlValue = string | number | null | Uint8Array

/** A database of this process alone. Statements are prepared once and kept until it is closed. */
class SqlFile {
  readonly #database: Database
  readonly #statements = new Map<string, Statement>()

  constructor(path: string) {
    this.#database = new sqlite.Database(path)
    try {
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
      this.#database.exec(TABLES)
      for (const [table, column, type] of ADDED_COLUMNS) {
        const isThere = this.all('SELECT 1 FROM pragma_table_info(?) WHERE name = ?', table, column).length > 0
        if (!isThere) this.#database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`)
      }
    } catch (fault) {
      this.close()
      throw fault
    }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#database.close()
  }

  /** How many rows were changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#prepared(sql).run(values).changes
  }

  /** As `run`, and on the disk afterwards: in write-ahead mode a full commit takes the earlier ones with it. */
  runToDisk(sql: string, ...values: SqlValue[]): void {
    this.#database.exec('PRAGMA synchronous = FULL')
    try {
      this.run(sql, ...values)
    } finally {
      this.#database.exec('PRAGMA synchronous = NORMAL')
    }
  }

  /** Every row, read to the end: a statement left half read would keep the write-ahead log from being taken in. */
  all<T>(sql: string, ...values: SqlValue[]): T[] {
    return this.#prepared(sql).all(values) as T[]
  }

  get<T>(sql: string, ...values: SqlValue[]): T | undefined {
    return this.all<T>(sql, ...values)[0]
  }

  transaction<T>(body: () => T): T {
    this.run('BEGIN')
    try {
      const result = body()
      this.run('COMMIT')
      return result
    } catch (fault) {
      if (this.#database.inTransaction) this.run('ROLLBACK')
      throw fault
    }
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/**
 * Everything survives the end of the process at any moment. Effects, checkpoints and the Cursor, with all that was
 * written before them, also survive the loss of power; what else is lost then is still in the Groups' logs.
 */
export class AgentStore implements CursorStore {
  readonly #file: SqlFile
  readonly #release: () => void
  /** Commands that were sent and not answered. */
  readonly outbox: CommandOutbox

  /** `release` is called once the file is closed. */
  constructor(file: SqlFile, release: () => void = () => undefined) {
    this.#file = file
    this.#release = release
    this.outbox = sqliteOutbox(file)
  }

  close(): void {
    this.#file.close()
    this.#release()
  }

  /** Says where the Agent's view of a Group begins; what lies before it is no gap. */
  openGroup(groupId: string, visibilityStart: number): void {
    const before = Math.max(0, visibilityStart - 1)
    this.#file.run('INSERT INTO positions VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET received = max(received, excluded.received)', groupId, before)
    this.#advance(groupId)
  }

  /** Takes in one Event of a Group that is open; false when it is here already. It may come ahead of others. */
  receive(event: EventDocument): boolean {
    const { groupId, sequence, eventId } = event
    if (groupId === undefined || sequence === undefined) throw new TypeError('an Event of a Group has a sequence')
    // Up to there everything has been here, and may have been folded away.
    if (sequence <= this.received(groupId)) return false
    return this.#file.transaction(() => {
      const isNew = this.#file.run('INSERT INTO inbox VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING', groupId, sequence, eventId, JSON.stringify(event)) === 1
      if (isNew) this.#advance(groupId)
      return isNew
    })
  }

  /** What was received of a Group up to the first gap, in order; without what the saved mirror holds. */
  *replay(groupId: string): Generator<EventDocument> {
    const rows = this.#file.all<{ event: string }>('SELECT event FROM inbox WHERE group_id = ? AND sequence <= (SELECT received FROM positions WHERE group_id = ?) ORDER BY sequence', groupId, groupId)
    for (const { event } of rows) yield JSON.parse(event) as EventDocument
  }

  /** Sequence up to which everything visible was received. */
  received(groupId: string): number {
    return this.#file.get<{ received: number }>('SELECT received FROM positions WHERE group_id = ?', groupId)?.received ?? 0
  }

  /** The durable Cursor. */
  async load(groupId: string): Promise<number | undefined> {
    return this.#file.get<{ cursor: number }>('SELECT cursor FROM positions WHERE group_id = ?', groupId)?.cursor
  }

  /** Moves the Cursor, never back and never past a gap in the inbox. */
  async save(groupId: string, sequence: number): Promise<void> {
    this.#file.runToDisk('UPDATE positions SET cursor = max(cursor, min(?, received)) WHERE group_id = ?', sequence, groupId)
  }

  /** What the Events up to this sequence come to, in the form of whoever saved it. */
  mirror(groupId: string): { readonly sequence: number; readonly mirror: string } | undefined {
    return this.#file.get('SELECT sequence, mirror FROM mirrors WHERE group_id = ?', groupId)
  }

  /** Keeps what the Events up to this sequence come to, in their place. */
  saveMirror(groupId: string, sequence: number, mirror: string): void {
    this.#file.transaction(() => {
      this.#file.run('INSERT INTO mirrors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence, mirror = excluded.mirror', groupId, sequence, mirror)
      this.#file.run('DELETE FROM inbox WHERE group_id = ? AND sequence <= ?', groupId, sequence)
    })
  }

  /** Takes the Events of a Group in from the beginning: what was kept of them is of no use any more. */
  restartInbox(groupId: string): void {
    this.#file.transaction(() => {
      for (const table of ['positions', 'inbox', 'mirrors']) this.#file.run(`DELETE FROM ${table} WHERE group_id = ?`, groupId)
    })
  }

  /** Forgets a Group that the Agent has left. */
  forgetGroup(groupId: string): void {
    this.#file.transaction(() => {
      for (const table of ['positions', 'inbox', 'mirrors', 'queue', 'effects', 'checkpoints']) this.#file.run(`DELETE FROM ${table} WHERE group_id = ?`, groupId)
    })
  }

  /** Forgets what executions of an item have left: there will be no further one under this ownership. */
  forgetWork(groupId: string, workItemId: string): void {
    for (const table of ['effects', 'checkpoints']) this.#file.run(`DELETE FROM ${table} WHERE group_id = ? AND work_item_id = ?`, groupId, workItemId)
  }

  /** How often each waiting item of a Group was passed over, by WorkItem. */
  queueOf(groupId: string): ReadonlyMap<string, number> {
    const rows = this.#file.all<{ id: string; count: number }>('SELECT work_item_id AS id, passed_over AS count FROM queue WHERE group_id = ?', groupId)
    return new Map(rows.map(({ id, count }) => [id, count]))
  }

  /** Replaces the queue of a Group. */
  saveQueue(groupId: string, items: readonly { readonly workItemId: string; readonly passedOver: number }[]): void {
    this.#file.transaction(() => {
      this.#file.run('DELETE FROM queue WHERE group_id = ?', groupId)
      for (const { workItemId, passedOver } of items) this.#file.run('INSERT INTO queue VALUES (?, ?, ?)', groupId, workItemId, passedOver)
    })
  }

  effect(key: string): EffectRecord | undefined {
    const row = this.#file.get<{ result: string | null }>('SELECT result FROM effects WHERE effect_key = ?', key)
    if (row === undefined) return undefined
    return row.result === null ? { isDone: false } : { isDone: true, result: JSON.parse(row.result) as unknown }
  }

  beginEffect(key: string, { groupId, workItemId }: Pick<OwnedItem, 'groupId' | 'workItemId'>): void {
    this.#file.runToDisk('INSERT INTO effects (effect_key, group_id, work_item_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', key, groupId, workItemId)
  }

  /** `result` is JSON; undefined is kept as null. */
  finishEffect(key: string, result: unknown): void {
    this.#file.runToDisk('UPDATE effects SET result = ? WHERE effect_key = ?', JSON.stringify(result ?? null), key)
  }

  /** What was left under this very ownership; an earlier one of the same Agent may have been worked on by others since. */
  checkpoint({ groupId, workItemId, ownershipEpoch }: OwnedItem): SavedCheckpoint | undefined {
    const row = this.#file.get<{ saved: string }>('SELECT saved FROM checkpoints WHERE group_id = ? AND work_item_id = ? AND ownership_epoch = ?', groupId, workItemId, ownershipEpoch)
    return row && (JSON.parse(row.saved) as SavedCheckpoint)
  }

  saveCheckpoint({ groupId, workItemId, ownershipEpoch }: OwnedItem, saved: SavedCheckpoint): void {
    this.#file.runToDisk(
      'INSERT INTO checkpoints VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved, ownership_epoch = excluded.ownership_epoch',
      groupId,
      workItemId,
      JSON.stringify(saved),
      ownershipEpoch,
    )
  }

  #advance(groupId: string): void {
    let received = this.received(groupId)
    while (this.#file.get('SELECT 1 FROM inbox WHERE group_id = ? AND sequence = ?', groupId, received + 1) !== undefined) received += 1
    this.#file.run('UPDATE positions SET received = ? WHERE group_id = ?', received, groupId)
  }
}

function sqliteOutbox(file: SqlFile): CommandOutbox {
  return {
    unanswered: () =>
      file
        .all<{ bytes: Uint8Array<ArrayBuffer>; isResumable: number }>('SELECT bytes, is_resumable AS isResumable FROM outbox ORDER BY rowid')
        .map(({ bytes, isResumable }) => ({ bytes, command: JSON.parse(new TextDecoder().decode(bytes)) as OutboxEntry['command'], isResumable: isResumable === 1 })),
    sent: ({ command, bytes, isResumable }) => void file.run('INSERT INTO outbox VALUES (?, ?, ?) ON CONFLICT DO NOTHING', command.actionId, bytes, Number(isResumable)),
    replaced: (actionId, { command, bytes, isResumable }) =>
      void file.run('UPDATE outbox SET action_id = ?, bytes = ?, is_resumable = ? WHERE action_id = ?', command.actionId, bytes, Number(isResumable), actionId),
    answered: (actionId) => void file.run('DELETE FROM outbox WHERE action_id = ?', actionId),
  }
}
