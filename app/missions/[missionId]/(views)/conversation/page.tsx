import type { Metadata } from 'next'
import { Conversations } from '../../../../../components/conversation/conversations.tsx'

export const metadata: Metadata = { title: 'Conversation' }

export default function ConversationPage() {
  return <Conversations />
}
