'use client'

import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { AccessKeys } from './access-keys.tsx'
import { AddAgentDialog } from './add-agent.tsx'
import { AgentRow } from './agent-row.tsx'
import { NewTokenDialog } from './new-token.tsx'
import { TokensOfNodes } from './token-list.tsx'
import { QueryState } from '../shell/query-state.tsx'
import { COORDINATION, useAgents } from '../missions/coordinator-picker.tsx'
import { useSession, useTRPC, type AgentView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'

const ADD_AGENT = 'npm run admin -- agent add "Link checker" --custodial --door mcp --capability release.link-check@1.0.0'

/** Who can be asked to coordinate or to work; and for administrators, how to add one and what lets each in. */
export function AgentList() {
  const agents = useAgents()
  const session = useSession().data
  const [dialog, setDialog] = useState<'add' | AgentView>()
  const close = () => setDialog(undefined)
  const isAdmin = session?.me?.isAdmin === true
  const tokens = useQuery({ ...useTRPC().agents.tokens.queryOptions(), enabled: isAdmin })
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
                <AgentRow key={agent.agentId} agent={agent} tokens={tokens.data?.filter(({ agentId }) => agentId === agent.agentId)} {...(isAdmin && { onNewToken: () => setDialog(agent) })} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <div className="pt-8">
        {isAdmin && tokens.isError && <Notice tone="fail" title="The tokens could not be read" action={<Button onClick={() => void tokens.refetch()}>Try again</Button>}>What is shown of the agents is complete but for their tokens.</Notice>}
        {tokens.data !== undefined && agents.data !== undefined && <TokensOfNodes tokens={tokens.data.filter(({ agentId }) => !agents.data.agents.some((agent) => agent.agentId === agentId))} />}
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
