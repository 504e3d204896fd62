'use client'

import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { RefusalNotice } from '../signing/command-progress.tsx'
import { pageOutbox, useUnansweredCommands } from '../signing/page-outbox.ts'
import { sendKept, type CommandRefusal } from '../signing/use-command.ts'
import type { Session } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'

const utf8 = new TextEncoder()

/** Commands that were signed here and not answered: send the same bytes again, or let them go. */
export function UnansweredCommands({ session }: { readonly session: Session }) {
  const entries = useUnansweredCommands(session.me?.principalId)
  const queryClient = useQueryClient()
  const [isSending, setIsSending] = useState(false)
  const [refusal, setRefusal] = useState<CommandRefusal>()
  const oldest = entries[0]
  if (oldest === undefined && refusal === undefined) return null

  const sendAll = async () => {
    setIsSending(true)
    setRefusal(undefined)
    for (const entry of entries) {
      const outcome = await sendKept(entry.actionId, utf8.encode(entry.text), { authority: session.authority })
      if (outcome.ok) continue
      setRefusal(outcome.error)
      if (outcome.error.isKept) break
    }
    setIsSending(false)
    await queryClient.invalidateQueries()
  }
  return (
    <div className="grid gap-2 px-4 pt-4 sm:px-6">
      {oldest !== undefined && (
        <Notice
          tone="wait"
          title={entries.length === 1 ? 'A command you signed has no answer yet' : `${entries.length} commands you signed have no answer yet`}
          action={
            <span className="flex gap-2">
              <Button variant="quiet" disabled={isSending} onClick={() => entries.forEach((entry) => pageOutbox().settle(entry.actionId))}>
                Let go
              </Button>
              <Button busy={isSending} onClick={() => void sendAll()}>
                Send again
              </Button>
            </span>
          }
        >
          {[...new Set(entries.map((entry) => entry.kind))].join(', ')}, signed <RelativeTime at={oldest.signedAt} />. The same bytes cannot take effect twice.
        </Notice>
      )}
      {refusal !== undefined && (
        <RefusalNotice
          refusal={refusal}
          action={
            <Button variant="quiet" onClick={() => setRefusal(undefined)}>
              Dismiss
            </Button>
          }
        />
      )}
    </div>
  )
}
