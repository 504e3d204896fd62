'use client'

import { useState } from 'react'
import { AskCoordinator } from '../mission/ask-coordinator.tsx'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { isOver } from '../mission/is-over.ts'
import type { ParticipantView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { RoleField } from './bring-in.tsx'
import { membershipDraft, rolesFor, type Candidate } from './membership-draft.ts'

/** What the owner may decide about a member. Owner and Coordinator have their places from the Mission itself, and the human at the root keeps theirs. */
export function MemberActions({ who }: { readonly who: ParticipantView }) {
  const mission = useMission()
  const { owner, coordinator, me } = mission
  const [isOpen, setOpen] = useState<'role' | 'end'>()
  const isTheirs = owner.id === me.principalId && !isOver(mission) && who.membershipState !== 'ended' && who.id !== owner.id && who.id !== coordinator.id
  if (who.type === 'service' || who.membershipEpoch === undefined) return null
  const member: Candidate = { id: who.id, type: who.type, name: who.name, membershipEpoch: who.membershipEpoch }
  const close = () => setOpen(undefined)
  // A dialog outlasts the buttons: it stays until the authority's answer is verified here.
  return (
    <>
      {isTheirs && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen('role')}>Change the role</Button>
          <Button variant="danger" onClick={() => setOpen('end')}>End the membership</Button>
        </div>
      )}
      {isTheirs && who.role === 'work_delegate' && (
        <div className="grid justify-items-start gap-2">
          <p className="text-13 text-muted">Which work a delegate may split up and offer, and up to what amounts, only the coordinator grants.</p>
          <AskCoordinator words={`Please grant ${who.name} the delegation of this work: `}>Ask for a delegation</AskCoordinator>
        </div>
      )}
      {isOpen === 'role' && <RoleDialog member={member} present={who.role} onClose={close} />}
      {isOpen === 'end' && <EndDialog member={member} onClose={close} />}
    </>
  )
}

interface DialogProps {
  readonly member: Candidate
  readonly onClose: () => void
}

function RoleDialog({ member, present, onClose }: DialogProps & { readonly present: string | undefined }) {
  const [role, setRole] = useState(() => rolesFor(member.type).map((each) => each.role).find((each) => each === present) ?? 'observer')
  return (
    <DecisionDialog
      title={`Change the role of ${visibleText(member.name)}`}
      description="You give this role in your name, and it holds at once. What the member has signed so far stays. A worker who still holds work stays a worker until that is done."
      keep="Leave it as it is"
      draft={() => (role === present ? undefined : membershipDraft(member, role))}
      names={{ [member.id]: member.name }}
      onClose={onClose}
    >
      <RoleField type={member.type} value={role} onChange={setRole} />
    </DecisionDialog>
  )
}

function EndDialog({ member, onClose }: DialogProps) {
  const { id, type, name, membershipEpoch } = member
  return (
    <DecisionDialog
      title={`End the membership of ${visibleText(name)}`}
      description="You end it in your name. They see nothing that follows, and what they still send is refused. While they hold work it cannot be ended: cancel that first, or wait. You can bring them in again."
      keep="Keep them"
      isDangerous
      reasonHint="Signed with it; everybody in the mission reads it."
      draft={(reason) => ({ kind: 'membership.end', expectedRevision: membershipEpoch, payload: { member: { type, id }, reason } })}
      names={{ [id]: name }}
      onClose={onClose}
    />
  )
}
