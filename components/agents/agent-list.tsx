'use client'

import { useState } from 'react'
import { Plus } from 'lucide-react'
import { AccessKeys } from './access-keys.tsx'
import { AddAgentDialog } from './add-agent.tsx'
import { NewTokenDialog } from './new-token.tsx'
import { TokenList } from './token-list.tsx'
import { QueryState } from '../shell/query-state.tsx'
import { COORDINATION, useAgents } from '../missions/coordinator-picker.tsx'
import { useSession, type AgentView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'

const ADD_AGENT = 'npm run admin -- agent add "Link checker" --custodial --door mcp --capability release.link-check@1.0.0'

/** Who can be asked to coordinate or to work; and for administrators, how to add one and what lets each in. */
export function AgentList() {
  const agents = useAgents()
  const session = useSession().data
  const [dialog, setDialog] = useState<'add' | AgentView>()
  const close = () => setDialog(undefined)
  const isAdmin = session?.me?.isAdmin === true
  const origin = session?.organization.origin ?? ''
  const add = <Button variant="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setDialog('add')}>Add an agent</Button>
  return (
    <>
      <PageHeader title="Agents" action={isAdmin && add}>
        What each can do is signed into its card. An agent that can do <code className="font-mono text-13">{COORDINATION}</code> can lead a mission.
      </PageHeader>
      <QueryState query={agents} skeleton={<SkeletonRows rows={6} />}>
        {({ agents: all }) =>
          all.length === 0 ? (
            <EmptyState title="No agents yet">{isAdmin ? 'Add the first one, then connect it with what you are shown.' : 'An administrator adds them here.'}</EmptyState>
          ) : (
            <ul className="divide-y border-y">
              {[...all].sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name)).map((agent) => (
                <AgentRow key={agent.agentId} agent={agent} {...(isAdmin && { onNewToken: () => setDialog(agent) })} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <div className="pt-8">
        {isAdmin && <TokenList />}
        {isAdmin && <AccessKeys origin={origin} />}
        <Section title="On the machine of the server">
          <div className="grid gap-3 pt-4">
            <p className="max-w-measure text-muted">Whoever operates the server adds an agent with one command, which prints its token.</p>
            <Snippet label="command that adds an agent" text={ADD_AGENT} />
          </div>
        </Section>
      </div>
      {dialog === 'add' && <AddAgentDialog origin={origin} onClose={close} />}
      {dialog !== undefined && dialog !== 'add' && <NewTokenDialog agent={dialog} origin={origin} onClose={close} />}
    </>
  )
}

function AgentRow({ agent, onNewToken }: { readonly agent: AgentView; readonly onNewToken?: () => void }) {
  return (
    <li className="grid gap-x-4 gap-y-1 px-2 py-3 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
      <PrincipalMark id={agent.agentId} size="lg" className="hidden sm:block" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <PrincipalMark id={agent.agentId} className="sm:hidden" />
          <bdi className="font-medium">{visibleText(agent.name)}</bdi>
          <HashText value={agent.agentId} label="Agent id" />
          <span className="text-13 text-muted">key {agent.custody}</span>
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
        {onNewToken !== undefined && <Button variant="quiet" aria-label={`New token for ${agent.name}`} onClick={onNewToken}>New token</Button>}
      </div>
    </li>
  )
}
