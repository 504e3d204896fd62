// A Mission that takes up an approved one, which itself is never reopened.
import type { Actor } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Refusal } from './fences.ts'
import type { DecisionEnv } from './types.ts'

/**
 * Why this person may not follow that Mission up; nothing for a Mission that follows up none. A Mission of somebody else
 * and one that does not exist look the same. Facts from before the batch are good enough, because `approved` is final.
 */
export function followUpRefused({ followUpOfMissionId }: { followUpOfMissionId?: string }, actor: Actor, { missionFacts }: DecisionEnv): Refusal {
  if (followUpOfMissionId === undefined) return undefined
  const source = missionFacts(followUpOfMissionId)
  if (source?.ownerId !== actor.id) return reject('AUTH_FORBIDDEN', 'only its MissionOwner may follow a Mission up')
  return source.state === 'approved' ? undefined : reject('INVALID_STATE_TRANSITION', `the Mission to follow up is ${source.state}`)
}
