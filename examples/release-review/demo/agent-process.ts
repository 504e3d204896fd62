// One agent in its own process, connected until it is told to stop.
import { join } from 'node:path'
import { AgentClient, FileCursorStore, HandshakeRefused, SessionReplaced } from '../../../sdk/index.ts'
import { demoFolder, loadDemoKeys } from './demo-keys.ts'
import type { Role } from './roster.ts'
import { ROSTER } from './roster.ts'
import { doorOf, findServer } from './server-door.ts'

/** Exit code of an agent whose session a newer runtime has taken over: it must not be started again. */
export const EXIT_REPLACED = 3
/** The server is on this machine: asking often costs nothing, and work goes on soon after it is back. */
const BACKOFF = { firstMs: 100, maxMs: 2_000 }

/** Resolves with the process's exit code once the agent is over. */
export async function runAgent(role: Role, { data, folder }: { data: string; folder: string }): Promise<number> {
  const { name, run } = ROSTER[role]
  const report = (line: string) => console.log(`${name} ${line}`)
  const [keys, server] = await Promise.all([loadDemoKeys(data), findServer(data)])
  if (server === undefined) return 1
  let client: AgentClient | undefined
  const close = () => void (client?.close() ?? process.exit(0))
  process.on('SIGTERM', close).on('SIGINT', close).on('disconnect', close)
  const cursors = new FileCursorStore(join(demoFolder(data), `${role}-cursors.json`))
  try {
    client = await AgentClient.connect({ url: doorOf(server), ...keys[role], cursors, backoff: BACKOFF })
  } catch (fault) {
    if (!(fault instanceof HandshakeRefused)) throw fault
    report(`was not let in: ${fault.refusal.message}.`)
    return 1
  }
  report('is connected.')
  void run(client, { folder, report })
  const reason = await client.over
  if (reason instanceof SessionReplaced) return EXIT_REPLACED
  return reason instanceof HandshakeRefused ? 1 : 0
}
