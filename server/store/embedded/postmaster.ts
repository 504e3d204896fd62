import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { PROGRAM_ENVIRONMENT } from './postgres-binaries.ts'
import { commandLine } from './process-identity.ts'

/** How often files are looked at while a server starts or stops. */
export const POLL_MS = 20
const FAST_STOP_MS = 15_000

/** A running server process of a cluster, as its lock file tells. */
export interface Postmaster { readonly pid: number; readonly port: number; readonly isReady: boolean }

/**
 * The running server of this cluster. A lock file whose process number now belongs to some other program is removed:
 * PostgreSQL clears a dead server's file itself, but takes any living process of that number for a server.
 */
export async function findPostmaster(dataPath: string): Promise<Postmaster | undefined> {
  const path = join(dataPath, 'postmaster.pid')
  const [pid, , , port, , , , status = ''] = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  if (!pid || !port) return undefined
  const command = await commandLine(Number(pid))
  // Not compared with the path: the folder may have been moved under a running server, and a second one would destroy it.
  if (command.includes('postgres')) return { pid: Number(pid), port: Number(port), isReady: status.trim() === 'ready' }
  if (command !== '') await rm(path, { force: true })
  return undefined
}

/**
 * Starts a server in a process group of its own, so that an interrupt from the terminal reaches it through us only.
 * It listens on the loopback address. Durability settings are PostgreSQL's own.
 */
export async function startPostmaster({ binaries, dataPath, logPath, account }: Cluster, port: number): Promise<ChildProcess> {
  await rename(logPath, `${logPath}.1`).catch(() => {})
  const log = await open(logPath, 'w', 0o600)
  try {
    const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', max_connections: 50, logging_collector: 'off' }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(binaries.postgres, ['-D', dataPath, ...options], {
      ...account,
      cwd: '/',
      env: PROGRAM_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    child.once('error', () => {})
    child.unref()
    return child
  } finally {
    await log.close()
  }
}

/** Fast shutdown: open transactions are undone, everything committed is flushed. An immediate one if that takes too long. */
export async function stopPostmaster(dataPath: string, pid: number): Promise<void> {
  for (const [signal, patienceMs] of [['SIGINT', FAST_STOP_MS], ['SIGQUIT', FAST_STOP_MS]] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
      if ((await findPostmaster(dataPath))?.pid !== pid) return
      await pause(POLL_MS)
    }
  }
}
