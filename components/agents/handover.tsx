'use client'

import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { doorName, type AgentDoor } from './doors.ts'
import { snippetsFor, type Credentials, type Introduced } from './snippets.ts'

interface HandoverProps extends Introduced {
  readonly doors: readonly AgentDoor[]
  readonly origin: string
  readonly credentials: Credentials
  readonly onClose: () => void
}

/** What an Agent connects with. It does not close by accident, for a token is shown this once. */
export function Handover({ name, capabilities, doors, origin, credentials, onClose }: HandoverProps) {
  const isSecret = credentials.token !== undefined
  return (
    <Dialog
      open
      width="wide"
      onOpenChange={onClose}
      dismissible={!isSecret}
      initialFocus="frame"
      title={<>Connect <bdi>{visibleText(name)}</bdi></>}
      description={`${doors.length === 1 ? 'Its door' : 'Its doors'}: ${doors.map(doorName).join(', ')}. Copy what fits to where it runs.`}
      footer={
        <div className="flex justify-end">
          <Button variant="primary" onClick={onClose}>{isSecret ? 'I have copied it' : 'Done'}</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        {isSecret && <Notice tone="wait" title={credentials.accessKey === undefined ? 'The token is shown this once' : 'Token and access key are shown this once'}>Whoever has the token is this agent to the server.{credentials.accessKey !== undefined && ' The access key lets it enter Spaces: IOA clients send it there, and the token everywhere.'} If one is lost, make another and revoke this one.</Notice>}
        {doors.flatMap((door) =>
          snippetsFor(door, origin, { ...credentials, name, capabilities }).map(({ title, hint, text }) => (
            <div key={`${door} ${title}`} className="grid gap-1">
              <h3 className="text-13 font-medium">{title}</h3>
              {hint !== undefined && <p className="text-12 text-muted">{hint}</p>}
              <Snippet label={title} text={text} />
            </div>
          )),
        )}
        {credentials.token !== undefined && (
          <div className="grid gap-1">
            <h3 className="text-13 font-medium">The token alone</h3>
            <Snippet label="the token" text={credentials.token} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
