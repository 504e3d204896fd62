'use client'

import { Plus, Trash2 } from 'lucide-react'
import type { AcceptanceCriterion, RequiredEvidence } from '../../protocol/generated/types.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Checkbox, Field, Input } from '../ui/field.tsx'
import { criterionFault, type CriterionFault, EVIDENCE_KINDS, EVIDENCE_WORDS } from './criterion.ts'
import { emptyCriterion } from './mission-draft.ts'

export interface CriteriaEditorProps {
  readonly criteria: readonly AcceptanceCriterion[]
  readonly onChange: (criteria: readonly AcceptanceCriterion[]) => void
  /** Whether faults are shown already, which is only after the first try to sign. */
  readonly isChecked: boolean
}

/** The definition of done, one row per criterion: its short name, what has to be true, and what proves it. */
export function CriteriaEditor({ criteria, onChange, isChecked }: CriteriaEditorProps) {
  const change = (at: number, criterion: AcceptanceCriterion) => onChange(criteria.with(at, criterion))
  return (
    <div className="grid gap-4">
      <ol className="grid gap-4">
        {criteria.map((criterion, at) => (
          <li key={at} className="grid gap-3 rounded-md border bg-raised p-4">
            <CriterionRow
              position={at + 1}
              criterion={criterion}
              fault={isChecked ? criterionFault(criterion, criteria) : undefined}
              onChange={(changed) => change(at, changed)}
              onRemove={criteria.length > 1 ? () => onChange(criteria.toSpliced(at, 1)) : undefined}
            />
          </li>
        ))}
      </ol>
      <div>
        <Button icon={<Plus aria-hidden className="size-4" />} onClick={() => onChange([...criteria, emptyCriterion()])}>
          Add a criterion
        </Button>
      </div>
    </div>
  )
}

interface CriterionRowProps {
  readonly position: number
  readonly criterion: AcceptanceCriterion
  readonly fault: CriterionFault | undefined
  readonly onChange: (criterion: AcceptanceCriterion) => void
  readonly onRemove: (() => void) | undefined
}

function CriterionRow({ position, criterion, fault, onChange, onRemove }: CriterionRowProps) {
  const faultOf = (member: CriterionFault['member']) => (fault?.member === member ? fault.words : undefined)
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 sm:grid-cols-[10rem_minmax(0,1fr)_auto]">
        <Field label="Short name" error={faultOf('criterionId')}>
          {(control) => (
            <Input {...control} className="font-mono" autoCapitalize="none" spellCheck={false} placeholder="link-check" value={criterion.criterionId} onChange={(event) => onChange({ ...criterion, criterionId: event.target.value })} />
          )}
        </Field>
        <div className="max-sm:order-last max-sm:col-span-2">
          <Field label="What has to be true" error={faultOf('description')}>
            {(control) => <Input {...control} placeholder="Every link leads somewhere." value={criterion.description} onChange={(event) => onChange({ ...criterion, description: event.target.value })} />}
          </Field>
        </div>
        <IconButton label={`Remove criterion ${position}`} onClick={onRemove} disabled={onRemove === undefined} className="mt-6">
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      </div>
      <fieldset>
        <legend className="text-13 font-medium">Proven by</legend>
        <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
          {EVIDENCE_KINDS.map((kind) => (
            <Checkbox key={kind} checked={criterion.evidenceRequired.includes(kind)} onChange={() => onChange({ ...criterion, evidenceRequired: toggled(criterion.evidenceRequired, kind) })}>
              {EVIDENCE_WORDS[kind]}
            </Checkbox>
          ))}
        </div>
        {faultOf('evidenceRequired') !== undefined && <p className="mt-1 text-12 text-fail">{faultOf('evidenceRequired')}</p>}
      </fieldset>
    </>
  )
}

// In the form's order, so that the same choice always gives the same bytes.
const toggled = (chosen: readonly RequiredEvidence[], kind: RequiredEvidence): RequiredEvidence[] =>
  EVIDENCE_KINDS.filter((candidate) => chosen.includes(candidate) !== (candidate === kind))
