'use client'

import type { ReactNode } from 'react'
import type { PolicyView } from '../trpc.tsx'
import { Checkbox, Field, Input, Select } from '../ui/field.tsx'
import { Section } from '../ui/page-header.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { PolicyDraft, PolicyFaults } from './policy-draft.ts'
import { DEPTHS, FRESHNESS, GATES, LIMITS, RISKS, SECTIONS, SERVICE_KINDS, type ServiceKind } from './policy-words.ts'

interface PolicyFieldsProps {
  readonly draft: PolicyDraft
  readonly faults: PolicyFaults
  readonly services: PolicyView['services']
  readonly onChange: (draft: PolicyDraft) => void
}

/** Every rule of the policy as a control, in the order of the page that shows them. */
export function PolicyFields({ draft, faults, services, onChange }: PolicyFieldsProps) {
  const { limits, maximumDepth, executionGates, freshnessSeconds } = draft
  return (
    <>
      <Rules part="risk"><Risks draft={draft} onChange={onChange} /></Rules>
      <Rules part="gates">
        <div className="grid gap-4 sm:grid-cols-2">
          {GATES.map(({ member, label }) => (
            <TextField key={member} label={label} fault={faults[member]} value={executionGates[member]} placeholder="none" onChange={(typed) => onChange({ ...draft, executionGates: { ...executionGates, [member]: typed } })} />
          ))}
        </div>
      </Rules>
      <Rules part="limits">
        <Numbers>
          {LIMITS.map(({ member, label, hint }) => <TextField key={member} isNumber label={label} hint={hint} fault={faults[member]} value={limits[member]} onChange={(typed) => onChange({ ...draft, limits: { ...limits, [member]: typed } })} />)}
        </Numbers>
      </Rules>
      <Rules part="depth">
        <Numbers>
          {DEPTHS.map(({ member, label }) => <TextField key={member} isNumber label={label} fault={faults[member]} value={maximumDepth[member]} onChange={(typed) => onChange({ ...draft, maximumDepth: { ...maximumDepth, [member]: typed } })} />)}
        </Numbers>
      </Rules>
      <Rules part="services"><Services draft={draft} services={services} onChange={onChange} /></Rules>
      <Rules part="freshness">
        <Numbers><TextField isNumber label={`${FRESHNESS.label}, seconds`} fault={faults[FRESHNESS.member]} value={freshnessSeconds} onChange={(typed) => onChange({ ...draft, freshnessSeconds: typed })} /></Numbers>
      </Rules>
    </>
  )
}

function Rules({ part, children }: { readonly part: keyof typeof SECTIONS; readonly children: ReactNode }) {
  return (
    <Section title={SECTIONS[part].title}>
      <p className="max-w-measure pt-2 pb-3 text-13 text-muted">{SECTIONS[part].about}</p>
      {children}
    </Section>
  )
}

const Numbers = ({ children }: { readonly children: ReactNode }) => <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">{children}</div>

interface TextFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault: string | undefined
  readonly value: string
  readonly isNumber?: boolean
  readonly placeholder?: string
  readonly onChange: (typed: string) => void
}

function TextField({ label, hint, fault, value, isNumber = false, placeholder, onChange }: TextFieldProps) {
  return (
    <Field label={label} error={fault} {...(hint !== undefined && { hint })}>
      {(control) => <Input {...control} value={value} placeholder={placeholder} {...(isNumber ? { inputMode: 'numeric' as const } : { className: 'font-mono text-13' })} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  )
}

type PartProps = Pick<PolicyFieldsProps, 'draft' | 'onChange'>

function Risks({ draft, onChange }: PartProps) {
  const { risk } = draft
  return (
    <div className="divide-y border-t">
      {RISKS.map(({ member, label }) => {
        const set = (change: Partial<PolicyDraft['risk']['none']>) => onChange({ ...draft, risk: { ...risk, [member]: { ...risk[member], ...change } } })
        return (
          <fieldset key={member} className="grid gap-x-6 gap-y-1 py-2 sm:grid-cols-[16rem_minmax(0,1fr)_minmax(0,1fr)]">
            <legend className="float-left font-medium">{label}</legend>
            <Checkbox checked={risk[member].executionApproval} onChange={(event) => set({ executionApproval: event.target.checked })}>A person approves its start</Checkbox>
            <Checkbox checked={risk[member].rootHumanApproval} onChange={(event) => set({ rootHumanApproval: event.target.checked })}>The root owner approves a child mission</Checkbox>
          </fieldset>
        )
      })}
    </div>
  )
}

function Services({ draft, services, onChange }: PartProps & Pick<PolicyFieldsProps, 'services'>) {
  const named = draft.services
  const unnamed = services.filter(({ serviceId }) => !named.some(({ principalId }) => principalId === serviceId))
  const setKinds = (principalId: string, kinds: readonly ServiceKind[]) => onChange({ ...draft, services: named.map((service) => (service.principalId === principalId ? { principalId, kinds } : service)) })
  const add = (principalId: string) => onChange({ ...draft, services: [...named, { principalId, kinds: [] }] })
  if (services.length === 0 && named.length === 0) return <p className="text-13 text-muted">No service is registered. The operator of the server registers one with <code className="font-mono">npm run admin -- service add</code>.</p>
  return (
    <div className="grid gap-4">
      {named.map(({ principalId, kinds }) => (
        <fieldset key={principalId} className="grid gap-1">
          <legend className="pb-1 font-medium"><bdi className="break-all">{visibleText(services.find(({ serviceId }) => serviceId === principalId)?.name ?? principalId)}</bdi> may</legend>
          <div className="flex flex-wrap gap-x-6 gap-y-1">
            {SERVICE_KINDS.map(({ kind, label }) => (
              <Checkbox key={kind} checked={kinds.includes(kind)} onChange={(event) => setKinds(principalId, event.target.checked ? [...kinds, kind] : kinds.filter((other) => other !== kind))}>{label}</Checkbox>
            ))}
          </div>
        </fieldset>
      ))}
      {unnamed.length > 0 && (
        <Field label="Name a service" className="sm:max-w-xs">
          {(control) => (
            <Select {...control} value="" onChange={(event) => add(event.target.value)}>
              <option value="">Choose one</option>
              {unnamed.map(({ serviceId, name }) => <option key={serviceId} value={serviceId}>{visibleText(name)}</option>)}
            </Select>
          )}
        </Field>
      )}
    </div>
  )
}
