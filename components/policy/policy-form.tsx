'use client'

import { useEffect, useRef, useState } from 'react'
import { POLICY_CHANGE } from '../../protocol/kinds.ts'
import { isReason, ReasonField } from '../mission/reason-field.tsx'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { useTRPCClient, type PolicyView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page-header.tsx'
import { dropDraft, keepDraft, openDraft } from './kept-draft.ts'
import { draftFaults, policyOf } from './policy-draft.ts'
import { PolicyFields } from './policy-fields.tsx'
import { Differences } from './policy-versions.tsx'
import { policyDifferences } from './policy-words.ts'
import { serviceNames } from './use-policy.ts'

/** Administrators sign under this Membership Epoch for as long as they are administrators. */
const ADMINISTRATOR_EPOCH = 1

interface PolicyFormProps {
  /** The version that was in force when the form was opened, and that a signature would replace. */
  readonly base: PolicyView
  readonly current: PolicyView
  readonly onRestart: () => void
  readonly onClose: () => void
}

/** Changes the policy: what would change stands above the reason and the signature. Use only where no server rendering happens. */
export function PolicyForm({ base, current, onRestart, onClose }: PolicyFormProps) {
  const { policy, spaceId } = base
  const names = serviceNames(current)
  const client = useTRPCClient()
  const { run, phase, isBusy } = useCommand()
  const [typed, setTyped] = useState(() => openDraft(policy))
  const { draft, reason } = typed
  useEffect(() => keepDraft(policy, typed), [policy, typed])
  const form = useRef<HTMLDivElement>(null)
  // The button that opened the form is gone; who works by keyboard goes on from its top.
  useEffect(() => form.current?.focus({ preventScroll: true }), [])
  const next = policyOf(draft, policy.version)
  const differences = next === undefined ? [] : policyDifferences(policy, next, names)
  const hasMoved = current.policy.version !== policy.version && phase.step !== 'verified'

  const sign = async () => {
    if (next === undefined) return form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
    const isStillInForce = async () => (await client.policy.view.query()).policy.version === policy.version
    const outcome = await run(
      { kind: POLICY_CHANGE, groupId: spaceId, membershipEpoch: ADMINISTRATOR_EPOCH, expectedRevision: policy.version, payload: { policy: next, reason: reason.trim() } },
      { [spaceId]: 'the policy of this organization', ...names },
      isStillInForce,
    )
    if (outcome.ok) leave()
  }

  const leave = () => {
    dropDraft(policy)
    onClose()
  }

  return (
    <div ref={form} tabIndex={-1} role="form" aria-label="Change the policy" className="pt-6 outline-none">
      <PolicyFields draft={draft} faults={draftFaults(draft)} services={current.services} onChange={(changed) => setTyped({ ...typed, draft: changed })} />
      <Section title={`What changes from version ${policy.version} to ${policy.version + 1}`}>
        <div className="grid gap-4 pt-4">
          {next === undefined && <Notice tone="fail" title="Not ready to sign">What does not fit is marked above.</Notice>}
          {next !== undefined && (differences.length === 0 ? <p className="text-muted">Nothing yet.</p> : <Differences differences={differences} />)}
          <ReasonField hint="Signed with the new version; everybody in the organization reads it." value={reason} onChange={(given) => setTyped({ ...typed, reason: given })} />
        </div>
      </Section>
      <div className="grid gap-4 border-t pt-6">
        {hasMoved && (
          <Notice tone="wait" title={`Version ${current.policy.version} came into force while you were changing version ${policy.version}`} action={<Button onClick={onRestart} disabled={isBusy}>Start again from it</Button>}>
            What you typed is not carried over. See under Versions what the new one changed.
          </Notice>
        )}
        <CommandProgress phase={phase} />
        <div className="flex flex-wrap items-center gap-2">
          <Button variant="primary" size="lg" busy={isBusy} disabled={hasMoved || !isReason(reason) || (next !== undefined && differences.length === 0)} onClick={() => void sign()}>Review and sign</Button>
          <Button variant="quiet" size="lg" onClick={leave} disabled={isBusy}>Leave it as it is</Button>
          <span className="text-12 text-muted">Kept as a draft in this tab. In force as soon as it is accepted, in every mission.</span>
        </div>
      </div>
    </div>
  )
}
