// Process ids are used again, in a container within seconds: a number in a file names a process only together with more.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Whether a process of this number exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Command line of a process, arguments separated by NUL or spaces; empty when it is gone or a zombie. */
export async function commandLine(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8')
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).stdout
  } catch {
    return ''
  }
}

/** Tells two processes with the same number apart: when the process started, in a form that only equality is asked of. */
export async function startMark(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux') return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim()
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Field 22; the command name before it is in parentheses and may hold anything.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
