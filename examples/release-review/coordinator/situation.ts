// What a plan is made from, and the two things that every part of a plan does: wait for a time, and say something once.
import type { Actor, Mission } from '../../../protocol/generated/types.ts'
import type { AgentEntry } from '../../../sdk/index.ts'
import { missionConversation } from '../../../sdk/index.ts'
import type { Contents } from '../review-inputs.ts'
import type { MissionHistory } from './mission-history.ts'
import type { CommandStep } from './steps.ts'
import { command, messageIdOf } from './steps.ts'

export interface PlanContext {
  /** The Coordinator's own Agent id. */
  readonly me: string
  readonly nowMs: number
  readonly agents: readonly AgentEntry[]
  readonly contents: Contents
}

export interface Situation extends PlanContext {
  readonly history: MissionHistory
  readonly mission: Mission
  readonly due: DueTimes
}

/** Remembers the earliest time that was asked for and has not come yet. */
export class DueTimes {
  readonly #nowMs: number
  #nextMs: number | undefined

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  /** A time that cannot be read (NaN) never comes. */
  isDue(atMs: number): boolean {
    if (atMs <= this.#nowMs) return true
    if (Number.isNaN(atMs)) return false
    this.#nextMs = Math.min(this.#nextMs ?? atMs, atMs)
    return false
  }

  get nextMs(): number | undefined {
    return this.#nextMs
  }
}

export interface Saying {
  /** Tells Messages apart: what was said about this before is not said again. */
  readonly about: string
  readonly text: string
  /** Ids of what it answers. */
  readonly references: readonly string[]
  readonly mentions?: readonly Actor[]
  /** The Mission's own when absent. */
  readonly conversationId?: string
}

export function* say({ history, mission }: Situation, { about, text, references, mentions, conversationId }: Saying): Generator<CommandStep> {
  const messageId = messageIdOf(mission.missionId, about)
  if (history.messageIds.has(messageId)) return
  const payload = {
    messageId,
    content: [{ type: 'text' as const, text }],
    authority: false as const,
    references: [...references],
    ...(mentions && { mentions: [...mentions] }),
  }
  yield command(`say:${about}`, 'message.post', payload, { conversationId: conversationId ?? missionConversation(mission.groupId) })
}
