'use client'

import type { AgentView, TokenView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { doorName } from './doors.ts'
import { Tokens } from './token-list.tsx'

interface AgentRowProps {
  readonly agent: AgentView
  /** For administrators. */
  readonly tokens?: readonly TokenView[] | undefined
  readonly onNewToken?: () => void
}

/** An Agent: what it can do, how it comes in, who holds its key, when it was last here, and the tokens that let it in. */
export function AgentRow({ agent, tokens, onNewToken }: AgentRowProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-2 px-2 py-4 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
      <PrincipalMark id={agent.agentId} size="lg" className="hidden sm:block" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <PrincipalMark id={agent.agentId} className="sm:hidden" />
          <bdi className="font-medium break-words">{visibleText(agent.name)}</bdi>
          <HashText value={agent.agentId} label="Agent id" />
        </p>
        <ul aria-label="Capabilities" className="flex flex-wrap gap-x-3 text-13 text-muted">
          {agent.capabilities.map(({ id, version }) => (
            <li key={`${id}@${version}`} className="font-mono text-12 break-all">
              {id} {version}
            </li>
          ))}
        </ul>
        <p className="text-13 text-muted">
          {agent.doors.length === 0 ? 'No door is open to it' : `${agent.doors.length === 1 ? 'Door' : 'Doors'}: ${agent.doors.map(doorName).join(', ')}`}. {custodySentence(agent)} Card {agent.cardVersion}, <RelativeTime at={agent.since} />.
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-3 self-start text-13 text-muted sm:justify-end">
        {agent.status !== 'active' && <StateTag state={agent.status} />}
        {!agent.online && <span>{agent.lastSeenAt === undefined ? 'not seen since the server started' : <>last seen <RelativeTime at={agent.lastSeenAt} /></>}</span>}
        <StateTag state={agent.online ? 'online' : 'offline'} />
        {onNewToken !== undefined && <Button variant="quiet" aria-label={`New token for ${visibleText(agent.name)}`} onClick={onNewToken}>New token</Button>}
      </div>
      {tokens !== undefined && tokens.length > 0 && <div className="min-w-0 sm:col-span-2 sm:col-start-2"><Tokens tokens={tokens} /></div>}
    </li>
  )
}

function custodySentence({ custody, isCustodial }: AgentView): string {
  if (custody === 'no key') return 'It has no key and signs nothing.'
  return isCustodial ? `Its key is ${custody}, which signs for it what a worker may.` : `Its key is ${custody}.`
}
