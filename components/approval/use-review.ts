'use client'

import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useArtifactChecks } from '../artifacts/use-artifact-check.ts'
import { newUrn } from '../signing/command.ts'
import { useCommand } from '../signing/use-command.ts'
import { useSession, useTRPC, useTRPCClient, type ApprovalView } from '../trpc.tsx'
import type { Decision } from './act-sentence.ts'
import { draftApproval } from './approval-draft.ts'
import type { ReviewState } from './readiness.ts'
import { obstaclesTo, remarksFor } from './readiness.ts'
import { reviewDelta } from './review-delta.ts'
import { useSigningKey } from './use-signing-key.ts'

export type Review = ReturnType<typeof useReview>

const KINDS = { approved: 'mission.approve', changes_requested: 'mission.request_changes' } as const
const KIND_AT_ROOT = 'ext.countersign.mission.root_decide'

/**
 * One review: pinned to the submission as it was opened, compared with the Mission as it is now. Signs only what was
 * shown, and asks the server once more before the dialog and again between the press and the signature.
 */
export function useReview(opened: ApprovalView, now: ApprovalView) {
  const command = useCommand()
  const me = useSession().data?.me
  const signingKey = useSigningKey()
  const checked = useArtifactChecks(opened.artifacts.map(({ artifact }) => artifact))
  const acknowledged = useToggledHashes()
  const previewed = useToggledHashes()
  const [comment, setComment] = useState('')
  const [conditions, setConditions] = useState<readonly string[]>([])
  const reread = useReread(opened)
  const { step } = command.phase
  const isDone = step === 'verified'
  // From here on, what moves is this decision taking effect.
  const isOnItsWay = isDone || step === 'signed' || step === 'accepted'

  const state: ReviewState = {
    view: opened,
    checks: new Map([...checked].map(([hash, { check }]) => [hash, check])),
    acknowledged: acknowledged.hashes,
    opened: previewed.hashes,
    comment,
    conditions,
    delta: isOnItsWay ? [] : reviewDelta(opened, now),
    ...(signingKey.obstacle !== undefined && { keyObstacle: signingKey.obstacle }),
  }

  const decide = async (decision: Decision) => {
    if (obstaclesTo(decision, state).length > 0 || !me || !(await reread.isUnmoved())) return
    const { mission } = opened
    const input = { decision, comment, conditions: decision === 'approved' ? conditions : [], remarks: remarksFor(decision, state) }
    const approvalId = newUrn()
    await command.run(
      {
        kind: opened.isChild ? KIND_AT_ROOT : KINDS[decision],
        groupId: mission.groupId,
        membershipEpoch: mission.me.membershipEpoch,
        expectedRevision: mission.revision,
        payload: ({ issuedAt, principalId }) => ({ approval: draftApproval(opened, input, { approvalId, approverId: principalId, occurredAt: issuedAt }) }),
      },
      { [mission.missionId]: mission.title, [mission.groupId]: mission.title, [me.principalId]: me.name },
      reread.isUnmoved,
    )
  }
  return { state, checked, acknowledged, previewed, comment, setComment, conditions, setConditions, signingKey, decide, command, isDone, hasReadFailed: reread.hasFailed }
}

/** Reads the Mission again and says whether it is still the one that was opened; when it cannot be read, it is not. */
function useReread(opened: ApprovalView) {
  const client = useTRPCClient()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [hasFailed, setFailed] = useState(false)
  const { missionId } = opened.mission
  const isUnmoved = async (): Promise<boolean> => {
    try {
      const now = await client.missions.approval.query({ missionId })
      setFailed(false)
      // What moved is then shown from the same answer that stopped the signature.
      queryClient.setQueryData(trpc.missions.approval.queryKey({ missionId }), now)
      return reviewDelta(opened, now).length === 0
    } catch {
      setFailed(true)
      return false
    }
  }
  return { isUnmoved, hasFailed }
}

function useToggledHashes() {
  const [hashes, setHashes] = useState<ReadonlySet<string>>(new Set())
  const set = (hash: string, isIn: boolean) => setHashes((known) => {
    const next = new Set(known)
    if (isIn) next.add(hash)
    else next.delete(hash)
    return next
  })
  return { hashes, set }
}
