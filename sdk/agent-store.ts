// What an Agent must not forget when it is stopped at any moment: one SQLite file, one Agent, one process.
import type { Database } from 'better-sqlite3'
import type { EventDocument, Progress } from '../protocol/generated/types.ts'
import type { SignedCommand } from './build-command.ts'
import type { CommandOutbox } from './command-sender.ts'
import type { CursorStore } from './cursor-store.ts'

/** Where a paused execution stands. `state` is the Worker's own, any JSON. */
export interface SavedCheckpoint {
  readonly progress: Progress
  readonly state: unknown
}

/** An act upon the outside world, done or perhaps done. */
export type EffectRecord = { readonly isDone: false } | { readonly isDone: true; readonly result: unknown }

const TABLES = `
  CREATE TABLE IF NOT EXISTS positions (group_id TEXT PRIMARY KEY, received INTEGER NOT NULL, cursor INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS inbox (group_id TEXT NOT NULL, sequence INTEGER NOT NULL, event_id TEXT NOT NULL UNIQUE, event TEXT NOT NULL, PRIMARY KEY (group_id, sequence)) STRICT;
  CREATE TABLE IF NOT EXISTS queue (group_id TEXT NOT NULL, work_item_id TEXT NOT NULL, passed_over INTEGER NOT NULL, PRIMARY KEY (group_id, work_item_id)) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (action_id TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS effects (effect_key TEXT PRIMARY KEY, result TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS checkpoints (group_id TEXT NOT NULL, work_item_id TEXT NOT NULL, saved TEXT NOT NULL, PRIMARY KEY (group_id, work_item_id)) STRICT;
`

/**
 * Opens the file, or makes it; `:memory:` keeps nothing. Throws when `better-sqlite3`, an optional dependency, is not
 * installed, or when another process has the file open.
 */
export async function openAgentStore(path: string): Promise<AgentStore> {
  const { default: SqliteDatabase } = await import('better-sqlite3')
  return new AgentStore(new SqliteDatabase(path, { timeout: 0 }))
}

/**
 * Everything survives the end of the process at any moment. Effects, checkpoints and the Cursor, with all that was
 * written before them, also survive the loss of power; what else is lost then is still in the Groups' logs.
 */
export class AgentStore implements CursorStore {
  readonly #database: Database
  /** Commands that were sent and not answered. */
  readonly outbox: CommandOutbox

  constructor(database: Database) {
    this.#database = database
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = NORMAL')
    database.exec(TABLES)
    this.outbox = sqliteOutbox(database)
  }

  close(): void {
    this.#database.close()
  }

  /** Says where the Agent's view of a Group begins; what lies before it is no gap. */
  openGroup(groupId: string, visibilityStart: number): void {
    const before = Math.max(0, visibilityStart - 1)
    this.#run('INSERT INTO positions VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET received = max(received, excluded.received)', groupId, before)
    this.#advance(groupId)
  }

  /** Takes in one Event of a Group that is open; false when it is here already. It may come ahead of others. */
  receive(event: EventDocument): boolean {
    const { groupId, sequence, eventId } = event
    if (groupId === undefined || sequence === undefined) throw new TypeError('an Event of a Group has a sequence')
    return this.#database.transaction(() => {
      const isNew = this.#run('INSERT INTO inbox VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING', groupId, sequence, eventId, JSON.stringify(event)) === 1
      if (isNew) this.#advance(groupId)
      return isNew
    })()
  }

  /** What was received of a Group up to the first gap, in order. */
  *replay(groupId: string): Generator<EventDocument> {
    const rows = this.#database
      .prepare<unknown[], { event: string }>('SELECT event FROM inbox WHERE group_id = ? AND sequence <= (SELECT received FROM positions WHERE group_id = ?) ORDER BY sequence')
      .all(groupId, groupId)
    for (const { event } of rows) yield JSON.parse(event) as EventDocument
  }

  /** Sequence up to which everything visible was received. */
  received(groupId: string): number {
    return this.#get<{ received: number }>('SELECT received FROM positions WHERE group_id = ?', groupId)?.received ?? 0
  }

  /** The durable Cursor. */
  async load(groupId: string): Promise<number | undefined> {
    return this.#get<{ cursor: number }>('SELECT cursor FROM positions WHERE group_id = ?', groupId)?.cursor
  }

  /** Moves the Cursor, never back and never past a gap in the inbox. */
  async save(groupId: string, sequence: number): Promise<void> {
    this.#runToDisk('UPDATE positions SET cursor = max(cursor, min(?, received)) WHERE group_id = ?', sequence, groupId)
  }

  /** How often each waiting item of a Group was passed over, by WorkItem. */
  queueOf(groupId: string): ReadonlyMap<string, number> {
    const rows = this.#database.prepare<unknown[], { id: string; count: number }>('SELECT work_item_id AS id, passed_over AS count FROM queue WHERE group_id = ?').all(groupId)
    return new Map(rows.map(({ id, count }) => [id, count]))
  }

  /** Replaces the queue of a Group. */
  saveQueue(groupId: string, items: readonly { readonly workItemId: string; readonly passedOver: number }[]): void {
    this.#database.transaction(() => {
      this.#run('DELETE FROM queue WHERE group_id = ?', groupId)
      for (const { workItemId, passedOver } of items) this.#run('INSERT INTO queue VALUES (?, ?, ?)', groupId, workItemId, passedOver)
    })()
  }

  effect(key: string): EffectRecord | undefined {
    const row = this.#get<{ result: string | null }>('SELECT result FROM effects WHERE effect_key = ?', key)
    if (row === undefined) return undefined
    return row.result === null ? { isDone: false } : { isDone: true, result: JSON.parse(row.result) as unknown }
  }

  beginEffect(key: string): void {
    this.#runToDisk('INSERT INTO effects VALUES (?, NULL) ON CONFLICT DO NOTHING', key)
  }

  /** `result` is JSON; undefined is kept as null. */
  finishEffect(key: string, result: unknown): void {
    this.#runToDisk('UPDATE effects SET result = ? WHERE effect_key = ?', JSON.stringify(result ?? null), key)
  }

  checkpoint(groupId: string, workItemId: string): SavedCheckpoint | undefined {
    const row = this.#get<{ saved: string }>('SELECT saved FROM checkpoints WHERE group_id = ? AND work_item_id = ?', groupId, workItemId)
    return row && (JSON.parse(row.saved) as SavedCheckpoint)
  }

  saveCheckpoint(groupId: string, workItemId: string, saved: SavedCheckpoint): void {
    this.#runToDisk('INSERT INTO checkpoints VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved', groupId, workItemId, JSON.stringify(saved))
  }

  #advance(groupId: string): void {
    let received = this.received(groupId)
    const next = this.#database.prepare('SELECT 1 FROM inbox WHERE group_id = ? AND sequence = ?')
    while (next.get(groupId, received + 1) !== undefined) received += 1
    this.#run('UPDATE positions SET received = ? WHERE group_id = ?', received, groupId)
  }

  /** In write-ahead mode a full commit takes the earlier ones with it. */
  #runToDisk(sql: string, ...values: unknown[]): void {
    this.#database.pragma('synchronous = FULL')
    this.#run(sql, ...values)
    this.#database.pragma('synchronous = NORMAL')
  }

  #run(sql: string, ...values: unknown[]): number {
    return this.#database.prepare(sql).run(...values).changes
  }

  #get<T>(sql: string, ...values: unknown[]): T | undefined {
    return this.#database.prepare<unknown[], T>(sql).get(...values)
  }
}

function sqliteOutbox(database: Database): CommandOutbox {
  return {
    unanswered: () =>
      database
        .prepare<[], { bytes: Uint8Array }>('SELECT bytes FROM outbox ORDER BY rowid')
        .all()
        .map(({ bytes }): SignedCommand => ({ bytes: Uint8Array.from(bytes), command: JSON.parse(new TextDecoder().decode(bytes)) as SignedCommand['command'] })),
    sent: ({ command, bytes }) => void database.prepare('INSERT INTO outbox VALUES (?, ?) ON CONFLICT DO NOTHING').run(command.actionId, bytes),
    answered: (actionId) => void database.prepare('DELETE FROM outbox WHERE action_id = ?').run(actionId),
  }
}
