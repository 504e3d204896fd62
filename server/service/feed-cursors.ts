import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { Directory } from './ports.ts'
import { groupNotFound } from './refusals.ts'
import type { Cursors, Reads } from './service.ts'

/** Acknowledged positions of Agents, durable. */
export class FeedCursors implements Cursors {
  readonly #directory: Pick<Directory, 'saveCursor'>
  readonly #reads: Pick<Reads, 'groupFor'>

  constructor(directory: Pick<Directory, 'saveCursor'>, reads: Pick<Reads, 'groupFor'>) {
    this.#directory = directory
    this.#reads = reads
  }

  async acknowledge(agentId: string, groupId: string, sequence: number): Promise<Result<void, Rejection>> {
    const found = await this.#reads.groupFor(agentId, groupId)
    if (found === undefined) return err(groupNotFound())
    if (sequence > found.state.sequence) return err(reject('INVALID_COMMAND', 'The Group has no such sequence yet.'))
    await this.#directory.saveCursor(agentId, groupId, sequence)
    return ok(undefined)
  }
}
