// Telling which stage a bad signature failed at costs a millisecond of arithmetic, so each sender may fail only so often.
// Who the sender is, is for the door to say: an address, or the Agent that has authenticated.

import type { ErrorCode, Rejection } from '../../protocol/error-codes.ts'
import { RecentMap } from '../recent-map.ts'

const costlyCodes: ReadonlySet<ErrorCode> = new Set(['AUTH_INVALID_SIGNATURE', 'PROTOCOL_VIOLATION', 'SCHEMA_VALIDATION_FAILED'])

/** Refusals for which nobody has to sign, and which cost slow arithmetic or an entry in the audit trail. */
export const isCostly = ({ code }: Rejection): boolean => costlyCodes.has(code)

interface Allowance { tokens: number; atMs: number }

const burst = 40
const perSecond = 4
const maximumSenders = 10_000

export class FailureQuota {
  /** Of those who failed lately or have something under way; everybody else has a full burst. */
  readonly #allowances = new RecentMap<string, Allowance>(maximumSenders)
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Milliseconds that the sender has to wait, 0 when it may go on. */
  waitMs(sender: string): number {
    // Nearly everybody, and on the way of every Command.
    if (this.#allowances.get(sender) === undefined) return 0
    const { tokens } = this.#refilled(sender)
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000)
  }

  /**
   * Counts one failure: after it, or before what may become one, so that many at once find no more room than one after
   * another. What is overdrawn has to be waited for.
   */
  take(sender: string): void {
    this.#change(sender, -1)
  }

  /** Takes a count back that was taken before and was no failure. */
  giveBack(sender: string): void {
    this.#change(sender, 1)
  }

  #change(sender: string, tokens: number): void {
    const allowance = this.#refilled(sender)
    allowance.tokens = Math.min(burst, allowance.tokens + tokens)
    // Whoever has been quiet longest is forgiven.
    if (allowance.tokens < burst) this.#allowances.set(sender, allowance)
    else this.#allowances.delete(sender)
  }

  #refilled(sender: string): Allowance {
    const atMs = this.#nowMs()
    const known = this.#allowances.get(sender)
    return { atMs, tokens: known ? Math.min(burst, known.tokens + ((atMs - known.atMs) / 1000) * perSecond) : burst }
  }
}
