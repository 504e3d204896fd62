// Which process has a file to itself. A claim is an empty file whose name says whose it is; one that a killed process left counts for nothing.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

/** A claim stands while its process does. A pid is used again, so the start of its process is a part of it. */
interface Claim {
  readonly host: string
  readonly pid: number
  readonly start: string
}

/**
 * Claims the file for this process; the function that comes back gives it up. Throws when another process, or this one,
 * has it already. Of two that ask in the same instant, none may get it; never both.
 */
export function claimFile(path: string): () => void {
  const file = resolve(path)
  const mine = nameOf(file, { host: shortHash(hostname()), pid: process.pid, start: startOf(process.pid) })
  const giveUp = () => rmSync(join(dirname(file), mine), { force: true })
  create(join(dirname(file), mine), file)
  try {
    for (const name of readdirSync(dirname(file))) {
      const other = name === mine ? undefined : readName(file, name)
      if (other === undefined) continue
      if (stands(other)) throw new Error(`${file} is open in another process (${other.pid}). If there is none, delete ${name}.`)
      rmSync(join(dirname(file), name), { force: true })
    }
  } catch (fault) {
    giveUp()
    throw fault
  }
  return giveUp
}

function create(claim: string, file: string): void {
  try {
    closeSync(openSync(claim, 'wx'))
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
    throw new Error(`${file} is open already in this process. If it is not, delete ${basename(claim)}.`, { cause: fault })
  }
}

const nameOf = (file: string, { host, pid, start }: Claim) => `${basename(file)}.owner-${host}-${pid}-${start}`

function readName(file: string, name: string): Claim | undefined {
  const prefix = `${basename(file)}.owner-`
  const [host, pid, start] = name.startsWith(prefix) ? name.slice(prefix.length).split('-') : []
  return host === undefined || pid === undefined || start === undefined ? undefined : { host, pid: Number(pid), start }
}

/** What another machine or container claims cannot be looked into from here, so it stands. */
function stands({ host, pid, start }: Claim): boolean {
  if (host !== shortHash(hostname())) return true
  const present = isAlive(pid) ? startOf(pid) : 'ended'
  return present === start || present === UNKNOWN
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Names the boot and the moment in which a process started; `ended` for one that only waits to be forgotten. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name of the program, which may hold spaces, come the state and, as the 20th field, the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'ended' : shortHash(`${boot}${fields[19]}`)
  } catch {
    return UNKNOWN
  }
}

/** Where there is no /proc. */
const UNKNOWN = 'unknown'
const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)
