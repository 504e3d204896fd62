'use client'

import Link from 'next/link'
import { useQuery } from '@tanstack/react-query'
import { useTRPC, type AgentView } from '../trpc.tsx'
import { PrincipalChoice } from '../mission/principal-choice.tsx'
import { QueryState } from '../shell/query-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { StateTag } from '../ui/state-tag.tsx'

export const COORDINATION = 'countersign.coordination'
const PRESENCE_EVERY_MS = 10_000

const canCoordinate = (agent: AgentView): boolean => agent.status === 'active' && agent.capabilities.some((capability) => capability.id === COORDINATION)

/** Agents and whether they are online, read again every ten seconds: presence is not in any log. */
export function useAgents() {
  const trpc = useTRPC()
  return useQuery(trpc.agents.list.queryOptions(undefined, { refetchInterval: PRESENCE_EVERY_MS }))
}

/** Choice of one agent that can coordinate; those online come first. */
export function CoordinatorPicker({ value, onChange, fault }: { readonly value: string; readonly onChange: (agentId: string) => void; readonly fault: string | undefined }) {
  const agents = useAgents()
  return (
    <fieldset className="grid gap-2" aria-describedby={fault === undefined ? undefined : 'coordinator-fault'}>
      <legend className="sr-only">Coordinator</legend>
      <QueryState query={agents} skeleton={<SkeletonRows rows={2} />}>
        {({ agents: all }) => <Choices agents={all.filter(canCoordinate)} value={value} onChange={onChange} />}
      </QueryState>
      {fault !== undefined && (
        <p id="coordinator-fault" className="text-12 text-fail">
          {fault}
        </p>
      )}
    </fieldset>
  )
}

function Choices({ agents, value, onChange }: { readonly agents: readonly AgentView[]; readonly value: string; readonly onChange: (agentId: string) => void }) {
  if (agents.length === 0) {
    return (
      <Notice tone="wait" title="No agent here can coordinate">
        An agent needs the capability <code className="font-mono text-12">{COORDINATION}</code>. See <Link href="/agents" className="text-action underline">Agents</Link> for how to add one.
      </Notice>
    )
  }
  const ordered = [...agents].sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name))
  return ordered.map(({ agentId, name, online }) => (
    <PrincipalChoice
      key={agentId}
      type="radio"
      name="coordinator"
      who={{ id: agentId, name }}
      note="agent"
      isChosen={agentId === value}
      onChange={() => onChange(agentId)}
      aside={<StateTag state={online ? 'online' : 'offline'} />}
    />
  ))
}
