import type { Metadata } from 'next'
import { AgentList } from '../../components/agents/agent-list.tsx'
import { Page } from '../../components/shell/page.tsx'

export const metadata: Metadata = { title: 'Agents' }

export default function AgentsPage() {
  return (
    <Page>
      <AgentList />
    </Page>
  )
}
