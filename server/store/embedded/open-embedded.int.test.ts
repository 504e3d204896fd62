import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../service/ports.ts'
import { newId, sampleBatch } from '../../testing/batch-samples.ts'
import { describeStore } from '../../testing/store-contract.ts'
import { openStore } from '../open-store.ts'
import type { EmbeddedDatabase } from './open-embedded.ts'
import { openEmbedded } from './open-embedded.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { findServiceAccount } from './service-account.ts'

const migrationsFolder = join(import.meta.dirname, '../../../drizzle/migrations')
const isRoot = process.getuid?.() === 0

const makeDataDir = () => mkdtemp(join(tmpdir(), 'embedded-'))
const clusterData = (dataDir: string) => join(dataDir, 'postgres', 'cluster', 'data')
const postmaster = (dataDir: string) => findPostmaster(clusterData(dataDir))

/** What a test opened, closed again after it in reverse order. */
const opened: (() => unknown)[] = []
async function closeAll(): Promise<void> {
  while (opened.length > 0) await opened.pop()!()
}

async function open(dataDir: string): Promise<EmbeddedDatabase> {
  const database = await openEmbedded(dataDir)
  opened.push(() => database.stop())
  return database
}

async function openOn(database: EmbeddedDatabase): Promise<Store> {
  const store = await openStore({ ...database, migrationsFolder })
  opened.push(() => store.close())
  return store
}

/** Another process that holds the same folder. */
async function hold(dataDir: string): Promise<{ process: ChildProcess; kind: string }> {
  const program = join(import.meta.dirname, '../../testing/embedded-holder.ts')
  const holder = spawn(process.execPath, ['--import', 'tsx', program, dataDir], { stdio: ['pipe', 'pipe', 'ignore'] })
  opened.push(() => holder.kill('SIGKILL'))
  const exited = once(holder, 'exit').then(([code]) => Promise.reject(new Error(`the holder exited with ${code}`)))
  exited.catch(() => {})
  const [line] = (await Promise.race([once(createInterface(holder.stdout), 'line'), exited])) as [string]
  return { process: holder, ...(JSON.parse(line) as { kind: string }) }
}

async function letGo(holder: ChildProcess): Promise<void> {
  holder.stdin!.end()
  await once(holder, 'exit')
}

/** Why the npm binaries cannot run here, such as a clone below a folder that only root may enter; undefined when they can. */
async function obstacle(): Promise<string | undefined> {
  try {
    await findPostgresBinaries(await findServiceAccount())
    return undefined
  } catch (fault) {
    return (fault as Error).message
  }
}
const reason = await obstacle()

describe.skipIf(reason !== undefined)(reason === undefined ? 'embedded PostgreSQL' : `embedded PostgreSQL (skipped: ${reason})`, () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await makeDataDir()
  })
  afterEach(async () => {
    await closeAll()
    const left = await postmaster(dataDir)
    if (left) await stopPostmaster(clusterData(dataDir), left.pid)
    await rm(dataDir, { recursive: true, force: true })
  })

  it('founds a cluster, and finds the data and the port again at the next start', async () => {
    const spaceId = newId()
    const first = await openEmbedded(dataDir)
    expect(first).toMatchObject({ kind: 'postgres', durability: 'power-loss' })
    const store = await openStore({ ...first, migrationsFolder })
    await store.log.append(sampleBatch(spaceId, 0, { count: 3 }))
    await store.close()
    await first.stop()
    expect(await postmaster(dataDir)).toBeUndefined()

    const second = await open(dataDir)
    expect(new URL(second.url).port).toBe(new URL(first.url).port)
    expect(await (await openOn(second)).log.head(spaceId)).toBe(3)
  })

  it('is closed to other accounts of the machine (IOA repair: the database is not world-readable) and knows nothing of our environment', async () => {
    const { url } = await open(dataDir)
    const address = new URL(url)
    expect(address.hostname).toBe('127.0.0.1')
    address.password = 'guess'
    await expect(openStore({ url: address.href, migrationsFolder })).rejects.toMatchObject({ code: 'unreachable', cause: { code: '28P01' } })
    for (const path of [dataDir, join(dataDir, 'postgres'), join(dataDir, 'postgres', 'cluster')]) expect((await stat(path)).mode & 0o067).toBe(0)
    expect((await stat(clusterData(dataDir))).mode & 0o777).toBe(0o700)
    expect((await stat(join(dataDir, 'postgres', 'cluster', 'password'))).mode & 0o777).toBe(0o600)
    const { pid } = (await postmaster(dataDir))!
    if (process.platform === 'linux') expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('PATH=')
  })

  it('starts the server again after kill -9 with everything that was committed', async () => {
    const database = await open(dataDir)
    const [writer, listener] = [await openOn(database), await openOn(database)]
    const spaceId = newId()
    await writer.log.append(sampleBatch(spaceId, 0, { count: 5 }))
    const { pid } = (await postmaster(dataDir))!
    process.kill(pid, 'SIGKILL')

    const isBack = async () => {
      expect((await postmaster(dataDir))?.pid).toSatisfy((now) => now !== undefined && now !== pid)
      expect(await writer.log.head(spaceId)).toBe(5)
    }
    await vi.waitFor(isBack, { timeout: 30_000, interval: 50 })
    expect(await writer.log.append(sampleBatch(spaceId, 5))).toEqual({ ok: true })

    const heard = new Set<string>()
    listener.wakeUps.subscribe((woken) => heard.add(woken))
    const isHeard = () => {
      writer.wakeUps.publish(spaceId)
      expect(heard).toContain(spaceId)
    }
    await vi.waitFor(isHeard, { timeout: 30_000, interval: 50 })
  })

  it('stops for good although the server died a moment before', async () => {
    const database = await openEmbedded(dataDir)
    process.kill((await postmaster(dataDir))!.pid, 'SIGKILL')
    await database.stop()
    await vi.waitFor(async () => expect(await postmaster(dataDir)).toBeUndefined(), { timeout: 10_000 })
  })

  it('adopts the server of a process that was killed, and stops it in the end', async () => {
    const holder = await hold(dataDir)
    const { pid } = (await postmaster(dataDir))!
    holder.process.kill('SIGKILL')
    await once(holder.process, 'exit')
    expect((await postmaster(dataDir))!.pid).toBe(pid)

    const database = await openEmbedded(dataDir)
    expect((await postmaster(dataDir))!.pid).toBe(pid)
    await database.stop()
    expect(await postmaster(dataDir)).toBeUndefined()
  })

  it('serves several processes and stops with the last', async () => {
    const mine = await openEmbedded(dataDir)
    const { pid } = (await postmaster(dataDir))!
    const other = await hold(dataDir)
    const third = await openEmbedded(dataDir)
    await mine.stop()
    await third.stop()
    expect((await postmaster(dataDir))!.pid).toBe(pid)
    await letGo(other.process)
    expect(await postmaster(dataDir)).toBeUndefined()
  })

  it('lets two processes found one cluster at once', async () => {
    const [mine, other] = await Promise.all([open(dataDir), hold(dataDir)])
    expect([mine.kind, other.kind]).toEqual(['postgres', 'postgres'])
    expect((await readdir(join(dataDir, 'postgres'))).filter((name) => name.startsWith('new-'))).toEqual([])
    await letGo(other.process)
  })

  it('is not held up by a lock file whose process number now belongs to another program', async () => {
    await (await openEmbedded(dataDir)).stop()
    const path = join(clusterData(dataDir), 'postmaster.pid')
    await writeFile(path, `${process.pid}\n${clusterData(dataDir)}\n1\n1\n\n127.0.0.1\n\nready\n`)
    const database = await open(dataDir)
    expect(Number((await readFile(path, 'utf8')).split('\n')[0])).not.toBe(process.pid)
    expect(database.kind).toBe('postgres')
  })

  it('gets out of the way of a program that took its port', async () => {
    const first = await openEmbedded(dataDir)
    await first.stop()
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
    await once(squatter, 'listening')
    opened.push(() => squatter.close())
    const second = await open(dataDir)
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port)
  })

  it.runIf(isRoot)('refuses to replace an existing cluster by an empty store when it cannot be entered (run as root)', async () => {
    const closed = join(dataDir, 'closed')
    await mkdir(join(closed, 'data', 'postgres', 'cluster'), { recursive: true })
    await writeFile(join(closed, 'data', 'postgres', 'cluster', 'password'), 'x')
    await chmod(closed, 0o700)
    await expect(openEmbedded(join(closed, 'data'))).rejects.toMatchObject({ name: 'StoreFault', code: 'embedded-unavailable' })
    expect(existsSync(join(closed, 'data', 'postgres', 'pglite'))).toBe(false)
  })
})

describe('where PostgreSQL cannot run', () => {
  let dataDir: string
  let database: EmbeddedDatabase
  afterAll(async () => {
    await closeAll()
    await rm(dataDir, { recursive: true })
  })
  // A folder keeps the kind that it was founded with, so this one is PGlite on every machine.
  describeStore('the Store on PGlite', async () => {
    dataDir = await makeDataDir()
    await mkdir(join(dataDir, 'postgres', 'pglite'), { recursive: true })
    database = await openEmbedded(dataDir)
    return openStore({ ...database, migrationsFolder })
  })

  it('says what its data does not survive', () => {
    expect(database).toMatchObject({ kind: 'pglite', durability: 'process-crash' })
    expect(database.notice).toContain('survives a crash of the program, not a loss of power')
  })

  it('refuses a second holder, whatever its process', async () => {
    await expect(openEmbedded(dataDir)).rejects.toMatchObject({ code: 'embedded-in-use' })
    await expect(hold(dataDir)).rejects.toThrow('exited')
  })

  it('finds the data again at the next start', async () => {
    const store = await openStore({ ...database, migrationsFolder })
    const spaceId = newId()
    await store.log.append(sampleBatch(spaceId, 0))
    await store.close()
    await database.stop()
    const again = await open(dataDir)
    expect(await (await openOn(again)).log.head(spaceId)).toBe(1)
  })
})

describe('the embedded store', () => {
  let dataDir: string
  let database: EmbeddedDatabase
  describeStore('the Store', async () => {
    dataDir = await makeDataDir()
    database = await openEmbedded(dataDir)
    const store = await openStore({ ...database, migrationsFolder })
    return {
      ...store,
      async close() {
        await store.close()
        await database.stop()
        await rm(dataDir, { recursive: true })
      },
    }
  })
})
