import type { Metadata } from 'next'
import { SpaceConversation } from '../../../components/spaces/space-conversation.tsx'

export const metadata: Metadata = { title: 'Conversation' }

export default function ConversationPage() {
  return <SpaceConversation />
}
