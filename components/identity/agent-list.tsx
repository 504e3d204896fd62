'use client'

import { QueryState } from '../shell/query-state.tsx'
import { COORDINATION, useAgents } from '../missions/coordinator-picker.tsx'
import type { AgentView } from '../trpc.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { StateTag } from '../ui/state-tag.tsx'

const ADD_AGENT = 'npm run admin -- agent add "Link checker" --public-key PUBLIC_KEY --capability release.link-check@1.0.0'

/** Who can be asked to coordinate or to work, and how to add one. */
export function AgentList() {
  const agents = useAgents()
  return (
    <>
      <PageHeader title="Agents">
        What each can do is signed into its card. An agent that can do <code className="font-mono text-13">{COORDINATION}</code> can lead a mission.
      </PageHeader>
      <QueryState query={agents} skeleton={<SkeletonRows rows={6} />}>
        {({ agents: all }) =>
          all.length === 0 ? (
            <EmptyState title="No agents yet">Add the first one with the command below, then let it connect with its own key.</EmptyState>
          ) : (
            <ul className="divide-y border-y">
              {[...all].sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name)).map((agent) => (
                <AgentRow key={agent.agentId} agent={agent} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <div className="pt-8">
        <Section title="Add an agent">
          <div className="grid gap-3 pt-4">
            <p className="max-w-measure text-muted">The agent makes its own key and gives you the public half. Run this on the server; it registers the key and signs the agent’s card.</p>
            <Snippet label="command that adds an agent" text={ADD_AGENT} />
          </div>
        </Section>
      </div>
    </>
  )
}

function AgentRow({ agent }: { readonly agent: AgentView }) {
  return (
    <li className="grid gap-x-4 gap-y-1 px-2 py-3 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
      <PrincipalMark id={agent.agentId} size="lg" className="hidden sm:block" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <PrincipalMark id={agent.agentId} className="sm:hidden" />
          <bdi className="font-medium">{agent.name}</bdi>
          <HashText value={agent.agentId} label="Agent id" />
        </p>
        <ul aria-label="Capabilities" className="flex flex-wrap gap-x-3 text-13 text-muted">
          {agent.capabilities.map(({ id, version }) => (
            <li key={`${id}@${version}`} className="font-mono text-12">
              {id} {version}
            </li>
          ))}
        </ul>
      </div>
      <div className="flex items-center gap-3 text-13 text-muted sm:justify-end">
        <span>
          card {agent.cardVersion}, <RelativeTime at={agent.since} />
        </span>
        {agent.status !== 'active' && <StateTag state={agent.status} />}
        <StateTag state={agent.online ? 'online' : 'offline'} />
      </div>
    </li>
  )
}
