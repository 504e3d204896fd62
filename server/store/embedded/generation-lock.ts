import { link, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { StoreFault } from '../store-fault.ts'
import { isAlive, startMark } from './process-identity.ts'

const LOCK_NAME = /^lock-(\d+)$/

/**
 * Holds a folder for this process alone. Each holder makes the lock file of the next number and none removes another's,
 * so two that find the same dead holder compete for one name and the file system lets one of them have it.
 * Throws StoreFault `embedded-in-use`. Returns the release.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const newest = Math.max(0, ...(await readdir(folder)).map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0)))
  if (newest > 0 && (await isHeld(join(folder, `lock-${newest}`)))) throw inUse(folder)
  const draft = join(folder, `draft-${randomUUID()}`)
  const path = join(folder, `lock-${newest + 1}`)
  await writeFile(draft, JSON.stringify({ pid: process.pid, startMark: await startMark(process.pid) }), { mode: 0o600 })
  try {
    // Unlike a write, a link makes the name and the content appear together.
    await link(draft, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw inUse(folder)
    throw cause
  } finally {
    await rm(draft, { force: true })
  }
  return () => rm(path, { force: true })
}

async function isHeld(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return false
  const holder = JSON.parse(text) as { pid: number; startMark: string }
  return isAlive(holder.pid) && (await startMark(holder.pid)) === holder.startMark
}

const inUse = (folder: string) => new StoreFault('embedded-in-use', `another process uses ${folder}`)
