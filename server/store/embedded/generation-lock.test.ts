import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from './generation-lock.ts'
import { startMark } from './process-identity.ts'

describe('lockFolder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const writeLock = (number: number, holder: { pid: number; startMark: string }) => writeFile(join(folder, `lock-${number}`), JSON.stringify(holder))

  it('lets one of many in at once, and the next one after the release', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)))
    const [winner, ...others] = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(others).toEqual([])
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'embedded-in-use' })
    await winner!.value()
    await (await lockFolder(folder))()
    expect(await readdir(folder)).toEqual([])
  })

  it('passes a holder that is dead, and lets one of many do so', async () => {
    await writeLock(3, { pid: 2 ** 22 + 1, startMark: '1' })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    expect((await readdir(folder)).sort()).toEqual(['lock-3', 'lock-4'])
  })

  it('passes a dead holder whose number another process has now', async () => {
    await writeLock(1, { pid: process.pid, startMark: `not ${await startMark(process.pid)}` })
    await expect(lockFolder(folder)).resolves.toBeTypeOf('function')
  })

  it('does not pass a living holder with an older lock beside it', async () => {
    await writeLock(9, { pid: 2 ** 22 + 1, startMark: '1' })
    await writeLock(10, { pid: process.pid, startMark: await startMark(process.pid) })
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'embedded-in-use' })
  })
})
