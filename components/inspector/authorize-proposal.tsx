'use client'

import { useState } from 'react'
import { isJsonObject, type JsonObject } from '../../protocol/strict-json.ts'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { newUrn } from '../signing/command.ts'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/visible-text.ts'

/** Lets the owner make work of a proposal in the Coordinator's stead. The Event of the proposal holds the contract. */
export function AuthorizeProposal({ tree }: { readonly tree: JsonObject }) {
  const { owner, me, state, work } = useMission()
  const [isOpen, setOpen] = useState(false)
  const payload = isJsonObject(tree['payload'] ?? null) ? (tree['payload'] as JsonObject) : {}
  const proposal = tree['kind'] === 'work.proposed' ? payload['proposal'] : undefined
  if (!isJsonObject(proposal ?? null)) return null
  const { proposalId } = proposal as JsonObject
  const canAuthorize = owner.id === me.principalId && state === 'active' && !work.some((item) => item.proposalId === proposalId)
  // The dialog outlasts the button: it stays until the authority's answer is verified here.
  return (
    <>
      {canAuthorize && <Button className="justify-self-start" onClick={() => setOpen(true)}>Authorize it yourself</Button>}
      {isOpen && <AuthorizeDialog proposal={proposal as JsonObject} onClose={() => setOpen(false)} />}
    </>
  )
}

function AuthorizeDialog({ proposal, onClose }: { readonly proposal: JsonObject; readonly onClose: () => void }) {
  const [workItemId] = useState(newUrn)
  const { proposalId, contract, parentWorkItemId } = proposal
  return (
    <DecisionDialog
      title="Step in: authorize this proposal"
      description="You make it a work item in the coordinator’s stead, and the log says so with your reason. The work is open then; it still has to be offered and accepted."
      keep="Leave it to the coordinator"
      reasonHint="Why it cannot wait for the coordinator. Signed with it; everybody in the mission reads it."
      draft={(reason) => ({
        kind: 'work.authorize',
        workItemId,
        expectedRevision: 0,
        payload: { workItemId, proposalId, contract, ...(parentWorkItemId !== undefined && { parentWorkItemId }), overrideReason: reason },
      })}
      onClose={onClose}
    >
      {isJsonObject(contract ?? null) && <p className="font-medium"><bdi>{visibleText(String((contract as JsonObject)['goal']))}</bdi></p>}
    </DecisionDialog>
  )
}
