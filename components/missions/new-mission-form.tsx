'use client'

import { useRef, useState } from 'react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useQuery } from '@tanstack/react-query'
import { Sparkles } from 'lucide-react'
import { missionPath } from '../mission/mission-paths.ts'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { useTRPC } from '../trpc.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { serverNowMs } from '../ui/clock.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field, Input, TextArea } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { CoordinatorPicker, useAgents } from './coordinator-picker.tsx'
import { CriteriaEditor } from './criteria-editor.tsx'
import { LimitsEditor } from './limits-editor.tsx'
import { draftFaults, payloadOf, type DraftFaults } from './mission-draft.ts'
import { useMissionDraft } from './use-mission-draft.ts'

/** From an objective to a signed `mission.create`. The draft stays in this browser until it is signed. */
export function NewMissionForm() {
  const editor = useMissionDraft()
  const { draft, change } = editor
  const [isChecked, setIsChecked] = useState(false)
  const faults: DraftFaults = isChecked ? draftFaults(draft, serverNowMs()) : {}
  const { create, phase, isBusy } = useCreateMission(editor)
  const missions = useQuery(useTRPC().missions.list.queryOptions()).data
  const isFounded = missions?.some((mission) => mission.missionId === draft.missionId) ?? false

  const form = useRef<HTMLDivElement>(null)

  const submit = () => {
    setIsChecked(true)
    if (Object.keys(draftFaults(draft, serverNowMs())).length === 0) return void create()
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }
  if (isFounded && phase.step !== 'verified') return <AlreadyFounded missionId={draft.missionId} onDiscard={editor.discard} />
  return (
    <div ref={form}>
      <PageHeader
        title="New mission"
        action={
          <Button icon={<Sparkles aria-hidden className="size-4" />} onClick={editor.fillExample}>
            Example: release review of this repository
          </Button>
        }
      >
        You sign it, you own it, and it is finished only when you have signed its result.
      </PageHeader>
      <Section title="What">
        <div className="grid gap-4 pt-4">
          <Field label="Title" error={faults.title}>
            {(control) => <Input {...control} value={draft.title} onChange={(event) => change({ title: event.target.value })} />}
          </Field>
          <Field label="Objective" hint="What it is for, and what is out of bounds. Agents read this first." error={faults.objective}>
            {(control) => <TextArea {...control} rows={5} value={draft.objective} onChange={(event) => change({ objective: event.target.value })} />}
          </Field>
        </div>
      </Section>
      <Section title="Done when">
        <div className="pt-4">
          <CriteriaEditor criteria={draft.criteria} onChange={(criteria) => change({ criteria })} isChecked={isChecked} />
        </div>
      </Section>
      <Section title="Who coordinates">
        <div className="pt-4">
          <CoordinatorPicker value={draft.coordinatorAgentId} onChange={(coordinatorAgentId) => change({ coordinatorAgentId })} fault={faults.coordinatorAgentId} />
        </div>
      </Section>
      <Section title="Until when, and with what">
        <div className="grid gap-4 pt-4">
          <Field label="Deadline" hint="In your own time zone." error={faults.deadline} className="sm:max-w-xs">
            {(control) => <Input {...control} type="datetime-local" value={draft.deadline} onChange={(event) => change({ deadline: event.target.value })} />}
          </Field>
          <LimitsEditor budget={draft.budget} leaseSeconds={draft.coordinatorLeaseSeconds} onBudget={(budget) => change({ budget })} onLease={(coordinatorLeaseSeconds) => change({ coordinatorLeaseSeconds })} fault={faults.budget} />
        </div>
      </Section>
      <div className="grid gap-4 border-t pt-6">
        <CommandProgress phase={phase} />
        {Object.keys(faults).length > 0 && <Notice tone="fail" title="Not ready to sign">What is missing is marked above.</Notice>}
        <div className="flex flex-wrap items-center gap-2">
          <Button variant="primary" size="lg" busy={isBusy} onClick={submit}>
            Review and sign
          </Button>
          <Button variant="quiet" size="lg" onClick={editor.discard} disabled={isBusy}>
            Start over
          </Button>
          <span className="text-12 text-muted">Kept as a draft in this browser.</span>
        </div>
      </div>
    </div>
  )
}

/** The draft was sent after all, from the outbox or from another tab; sending it again could only be refused. */
function AlreadyFounded({ missionId, onDiscard }: { readonly missionId: string; readonly onDiscard: () => void }) {
  return (
    <EmptyState
      title="This draft has become a mission"
      action={
        <span className="flex flex-wrap gap-2">
          <Link href={missionPath(missionId)} className={buttonClass('primary')}>
            Open the mission
          </Link>
          <Button onClick={onDiscard}>Start another draft</Button>
        </span>
      }
    >
      Its signed command has reached the authority. What is written in the draft now is no longer needed.
    </EmptyState>
  )
}

function useCreateMission({ draft, discard }: ReturnType<typeof useMissionDraft>) {
  const router = useRouter()
  const agents = useAgents().data?.agents
  const { run, phase, isBusy } = useCommand()
  const create = async () => {
    const coordinator = agents?.find((agent) => agent.agentId === draft.coordinatorAgentId)
    const names = coordinator === undefined ? {} : { [coordinator.agentId]: coordinator.name }
    const outcome = await run({ kind: 'mission.create', groupId: draft.groupId, payload: payloadOf(draft) }, names)
    if (!outcome.ok) return
    discard()
    router.push(missionPath(draft.missionId))
  }
  return { create, phase, isBusy }
}
