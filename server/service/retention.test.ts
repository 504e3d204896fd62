import { expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { StillClock, startAuthority } from '../testing/authority-fixture.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { Retention } from './retention.ts'

it('forgets what has been out of date for a week, audit entries and ended tokens of a quarter ago, and refusals of a year ago (A-126)', async () => {
  const asked: unknown[] = []
  const directory = { forget: async (older: unknown) => void asked.push(older) }
  const rulings = { forgetRefusals: async (before: string) => void asked.push(before) }
  const credentials = { forgetEnded: async (before: string) => void asked.push(before) }
  const retention = new Retention({ directory, rulings, credentials }, new StillClock(), silentLog())
  await retention.sweep()
  expect(asked).toEqual([{ expiredBefore: '2026-11-22T12:00:00.000Z', auditedBefore: '2026-08-31T12:00:00.000Z' }, '2026-08-31T12:00:00.000Z', '2025-11-28T12:00:00.000Z'])
})

it('survives a database that does not answer', async () => {
  const lost = () => Promise.reject(new Error('lost'))
  const retention = new Retention({ directory: { forget: lost }, rulings: { forgetRefusals: lost }, credentials: { forgetEnded: lost } }, new StillClock(), silentLog())
  await expect(retention.sweep()).resolves.toBeUndefined()
})

it('begins with the service, and is over when the service has stopped', async () => {
  const clock = new StillClock()
  const store = createMemoryStore({ clock })
  let finish = () => {}
  const asked = new Promise<void>((resolve) => {
    store.directory.forget = () => (resolve(), new Promise<void>((done) => (finish = done)))
  })
  const { service } = await startAuthority({ clock, store })
  await asked
  let hasStopped = false
  const stopping = service.stop().then(() => (hasStopped = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasStopped).toBe(false)
  finish()
  await stopping
})
