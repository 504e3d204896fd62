// A server under test runs in a process of its own, so that its event loop is not the load generator's.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

export const projectFolder = fileURLToPath(new URL('..', import.meta.url))

export interface Child { readonly pid: number; readonly message: Record<string, unknown>; stop(): Promise<void> }

/** Starts a Node program with as many pool threads as `npm run up` gives its server, and waits for its `listening` message. Rejects when it ends before. */
export async function startChild(args: readonly string[], env: Record<string, string> = {}): Promise<Child> {
  const child = spawn(process.execPath, args, { cwd: projectFolder, env: { ...process.env, UV_THREADPOOL_SIZE: String(Math.max(2, availableParallelism())), ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const message = await Promise.race([listening(child), once(child, 'exit').then(() => Promise.reject(new Error(`${args.join(' ')} ended before it listened`)))])
  return {
    pid: child.pid ?? 0,
    message,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

async function listening(child: ChildProcess): Promise<Record<string, unknown>> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [Record<string, unknown>]
    if (message.type === 'listening') return message
  }
}
