// Keeps the agents running, each as a child process: registers it, starts it, and starts it again when it ends by itself.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_REPLACED } from './agent-process.ts'
import type { AgentKey } from './demo-keys.ts'
import { enlist } from './enlist.ts'
import type { Role } from './roster.ts'
import { ROLES, ROSTER } from './roster.ts'
import { findServer } from './server-door.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** An agent that ran this long was well: the delays begin anew. */
const WELL_AFTER_MS = 60_000

export interface SupervisorOptions {
  readonly data: string
  readonly folder: string
  readonly keys: Readonly<Record<Role, AgentKey>>
  /** Ends all agents. */
  readonly signal: AbortSignal
}

/** Resolves once every agent has ended for good. */
export async function superviseAgents(options: SupervisorOptions): Promise<void> {
  await Promise.all(ROLES.map((role) => supervise(role, options)))
}

async function supervise(role: Role, options: SupervisorOptions): Promise<void> {
  const { name } = ROSTER[role]
  const { signal } = options
  for (let attempt = 0; !signal.aborted; attempt++) {
    const startedAt = Date.now()
    const end = await lifeOf(role, options)
    if (signal.aborted) return
    if (end === 'replaced') return console.log(`${name} runs elsewhere too; that newer one keeps the session.`)
    if (Date.now() - startedAt > WELL_AFTER_MS) attempt = 0
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt)
    console.log(`${name} ${end}; next attempt in ${delayMs / 1000} s.`)
    await sleep(delayMs, undefined, { signal }).catch(() => undefined)
  }
}

/** From registration to the end of the process; why it ended, in words. */
async function lifeOf(role: Role, { data, folder, keys, signal }: SupervisorOptions): Promise<string> {
  try {
    const server = await findServer(data)
    if (server === undefined) return 'finds no running server'
    await enlist(server, keys[role], ROSTER[role])
  } catch (fault) {
    return `cannot be registered (${fault instanceof Error ? fault.message : String(fault)})`
  }
  const [bundle = ''] = process.argv.slice(1)
  const child = fork(bundle, ['--agent', role, '--data', data, '--folder', folder])
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const [code] = (await once(child, 'exit')) as [number | null]
  signal.removeEventListener('abort', stop)
  return code === EXIT_REPLACED ? 'replaced' : 'stopped'
}
