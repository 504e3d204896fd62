// A process that keeps things in an Agent's store, says each number on its output once all of it is kept, and never stops.
import { writeSync } from 'node:fs'
import type { Command, EventDocument } from '../../protocol/generated/types.ts'
import { openAgentStore } from '../agent-store.ts'

const [path = '', groupId = ''] = process.argv.slice(2)
const store = await openAgentStore(path)
store.openGroup(groupId, 0)
for (let n = 1; ; n++) {
  store.receive({ groupId, sequence: n, eventId: `${groupId}:event:${n}`, kind: 'message.posted' } as EventDocument)
  store.outbox.sent({ command: { actionId: `${groupId}:action:${n}` } as Command, bytes: new TextEncoder().encode(`{"actionId":"${groupId}:action:${n}"}`), isResumable: false })
  store.beginEffect(`${groupId}:effect:${n}`, { groupId, workItemId: 'w' })
  store.finishEffect(`${groupId}:effect:${n}`, n)
  writeSync(1, `${n}\n`)
}
