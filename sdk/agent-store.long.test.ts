import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAgentStore } from './agent-store.ts'
import { startChild } from './testing/child-process.ts'

test('A-173: a process that is killed while it writes leaves everything that it had kept, and nobody stands in the way of the next', { timeout: 30_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'))
  const path = join(folder, 'agent.sqlite')
  for (let round = 1; round <= 3; round++) {
    const group = `urn:test:group:${round}`
    const child = await startChild('store-writer.ts', path, group)
    try {
      await expect.poll(() => child.lines.length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(50)
      await expect(openAgentStore(path)).rejects.toThrow(`open in another process (${child.pid})`)
    } finally {
      await child.kill()
    }
    expect(existsSync(`${path}.lock`)).toBe(true)
    const store = await openAgentStore(path)
    const kept = Number(child.lines.at(-1))
    expect(store.received(group)).toBeGreaterThanOrEqual(kept)
    expect([...store.replay(group)].map(({ sequence }) => sequence).slice(0, kept)).toEqual(Array.from({ length: kept }, (_, n) => n + 1))
    for (let n = 1; n <= kept; n++) expect(store.effect(`${group}:effect:${n}`)).toEqual({ isDone: true, result: n })
    const waiting = new Set(store.outbox.unanswered().map(({ command }) => command.actionId))
    for (let n = 1; n <= kept; n++) expect(waiting).toContain(`${group}:action:${n}`)
    store.close()
    expect(readdirSync(folder)).toEqual(['agent.sqlite'])
  }
  await rm(folder, { recursive: true })
})
