// Processes of a test's own that are killed without a word.
import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface Child {
  readonly pid: number
  /** What it said on its output, line by line. */
  readonly lines: readonly string[]
  /** Ends it by SIGKILL, so that nothing of it runs any more; resolves when it is gone and all that it said is in `lines`. */
  kill(): Promise<void>
}

/** Runs a TypeScript file of this folder. */
export async function startChild(file: string, ...args: string[]): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, ['--import', 'tsx', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const gone = Promise.all([once(child, 'exit'), once(reader, 'close')])
  await once(child, 'spawn')
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  return { pid: child.pid!, lines, kill }
}
