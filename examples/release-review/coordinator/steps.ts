// What the Coordinator is to do next. A step's name is unique within its Mission and becomes its Action ID: no step happens twice.
import { deriveUrn } from '../../../protocol/digest.ts'
import type { CommandPayloads } from '../../../protocol/generated/types.ts'
import type { CommandKind, EvidenceDescription } from '../../../sdk/index.ts'
import type { LoadStep } from '../review-inputs.ts'

export interface CommandStep {
  readonly type: 'command'
  readonly name: string
  readonly command: { readonly [K in CommandKind]: { readonly kind: K; readonly payload: CommandPayloads[K] } }[CommandKind]
  readonly target: { readonly workItemId?: string; readonly conversationId?: string }
}

/** The end of a review; its Evidence is still to be signed. */
export interface VerdictStep {
  readonly type: 'verdict'
  readonly name: string
  readonly workItemId: string
  /** Why the work is sent back; absent when it is accepted. */
  readonly reason?: string
  readonly evidence: readonly EvidenceDescription[]
}

/** The first thing in office; its Context Package is still to be signed. */
export interface ReconcileStep {
  readonly type: 'reconcile'
  readonly name: string
}

export type Step = LoadStep | CommandStep | VerdictStep | ReconcileStep

export const actionIdOf = (missionId: string, stepName: string): string => deriveUrn('release-review action', missionId, stepName)

/** `about` tells Messages apart: the same one is posted once, whatever its text. */
export const messageIdOf = (missionId: string, about: string): string => deriveUrn('release-review message', missionId, about)

export function command<K extends CommandKind>(name: string, kind: K, payload: CommandPayloads[K], target: CommandStep['target'] = {}): CommandStep {
  return { type: 'command', name, command: { kind, payload } as CommandStep['command'], target }
}
