import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { AckFrame } from '../../../protocol/generated/types.ts'
import type { AuthorityService } from '../../service/service.ts'
import type { MwpLimits } from './limits.ts'
import type { Related } from './read-frame.ts'

const RETRY_AFTER_MS = 250

export interface AcknowledgementsHost {
  readonly service: Pick<AuthorityService, 'cursors'>
  readonly limits: Pick<MwpLimits, 'maxAcknowledgements'>
  readonly agentId: string
  sendError(rejection: Rejection, related: Related): void
  onFault(fault: unknown): void
}

interface Position {
  readonly sequence: number
  readonly frameId: string
}

/**
 * The ACKs of one connection, stored one after another. Of the positions in one Group that wait meanwhile only the
 * highest is stored: it says everything that the others say.
 */
export class Acknowledgements {
  readonly #host: AcknowledgementsHost
  readonly #waiting = new Map<string, Position>()
  #isStoring = false

  constructor(host: AcknowledgementsHost) {
    this.#host = host
  }

  receive({ acknowledgements, frameId }: AckFrame): void {
    for (const { groupId, sequence } of acknowledgements) this.#add(groupId, { sequence, frameId })
    if (!this.#isStoring) void this.#storeAll()
  }

  /** What is not stored yet never will be; the Agent gets those Events again. */
  close(): void {
    this.#waiting.clear()
  }

  #add(groupId: string, position: Position): void {
    const { limits, sendError } = this.#host
    const waiting = this.#waiting.get(groupId)
    if (waiting === undefined && this.#waiting.size >= limits.maxAcknowledgements) {
      const busy = reject('BACKPRESSURE', 'too many positions are not stored yet', { retryAfterMs: RETRY_AFTER_MS })
      return sendError(busy, { relatedFrameId: position.frameId, groupId })
    }
    if (waiting === undefined || waiting.sequence < position.sequence) this.#waiting.set(groupId, position)
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true
    for (const [groupId, position] of this.#waiting) {
      this.#waiting.delete(groupId)
      await this.#store(groupId, position)
    }
    this.#isStoring = false
  }

  async #store(groupId: string, { sequence, frameId }: Position): Promise<void> {
    const { service, agentId, sendError, onFault } = this.#host
    const related = { relatedFrameId: frameId, groupId }
    try {
      const stored = await service.cursors.acknowledge(agentId, groupId, sequence)
      if (!stored.ok) sendError(stored.error, related)
    } catch (fault) {
      onFault(fault)
      sendError(reject('INTERNAL_ERROR', 'the position was not stored'), related)
    }
  }
}
