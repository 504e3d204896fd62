import { beforeEach, describe, expect, it } from 'vitest'
import { parseTimestamp } from '../../protocol/timestamp.ts'
import { newKey, newUrn, StillClock } from '../testing/authority-fixture.ts'
import { createMemoryDirectory } from '../testing/memory-directory.ts'
import type { Directory, RegisteredKey } from './ports.ts'
import { RegistryMirror } from './registry-mirror.ts'

const organizationId = 'urn:test:organization'
const clock = new StillClock()

function newRegisteredKey(): RegisteredKey {
  const principal = { type: 'human', id: newUrn() } as const
  return { keyId: newUrn(), principal, algorithm: 'Ed25519', publicKey: newKey().publicKey, validFrom: '2026-11-29T00:00:00Z', history: [], keyUse: 'authority', use: 'authority', custody: 'browser', label: 'Laptop' }
}

/** A Directory in which the end of a key is committed at once, and answered when the test says so. */
function lateDirectory() {
  const directory = createMemoryDirectory()
  const answers: (() => void)[] = []
  const addKeyBoundary: Directory['addKeyBoundary'] = async (keyId, boundary) => {
    await directory.addKeyBoundary(keyId, boundary)
    await new Promise<void>((resolve) => answers.push(resolve))
  }
  return { directory, late: { ...directory, addKeyBoundary }, answers }
}

describe('the Registry in memory', () => {
  let keys: { readonly one: RegisteredKey; readonly other: RegisteredKey; readonly later: RegisteredKey }
  let world: ReturnType<typeof lateDirectory>
  beforeEach(async () => {
    keys = { one: newRegisteredKey(), other: newRegisteredKey(), later: newRegisteredKey() }
    world = lateDirectory()
    await world.directory.addKey(keys.one)
    await world.directory.addKey(keys.other)
  })

  const load = () => RegistryMirror.load(world.late, clock, organizationId)
  const answerAll = () => world.answers.splice(0).forEach((answer) => answer())
  const resolvesIn = (mirror: RegistryMirror, { keyId, principal }: RegisteredKey, at = clock.now()) => mirror.resolve(keyId, { rule: 'principal', principal }, parseTimestamp(at)!).ok

  it('ends both of two keys that are revoked at once (A-64)', async () => {
    const mirror = await load()
    const revoked = [keys.one, keys.other].map(({ keyId }) => mirror.revoke(keyId, clock.now()))
    await expect.poll(() => world.answers.length).toBe(2)
    answerAll()
    await Promise.all(revoked)
    expect([keys.one, keys.other].map((key) => [resolvesIn(mirror, key), mirror.validKey(key.keyId)])).toEqual([[false, undefined], [false, undefined]])
  })

  it('keeps a key that is bound while another is revoked', async () => {
    const mirror = await load()
    const revoked = mirror.revoke(keys.one.keyId, clock.now())
    await expect.poll(() => world.answers.length).toBe(1)
    await mirror.add(keys.later)
    answerAll()
    await revoked
    expect([resolvesIn(mirror, keys.later), resolvesIn(mirror, keys.one)]).toEqual([true, false])
  })

  it('hears of an earlier end from elsewhere, also where it had read its own end before it was answered', async () => {
    const mirror = await load()
    const heard: string[] = []
    mirror.onBoundary(({ history }) => heard.push(history.at(-1)!.revokedAt!))
    const revoked = mirror.revoke(keys.one.keyId, '2027-01-02T00:00:00Z')
    await expect.poll(() => world.answers.length).toBe(1)
    await mirror.refresh()
    answerAll()
    await revoked
    await world.directory.addKeyBoundary(keys.one.keyId, { revokedAt: '2027-01-01T00:00:00Z', recordedAt: clock.now() })
    await mirror.refresh()
    expect(heard).toEqual(['2027-01-02T00:00:00Z', '2027-01-01T00:00:00Z'])
    expect(mirror.key(keys.one.keyId)!.history).toEqual((await world.directory.loadKeys()).keys.find(({ keyId }) => keyId === keys.one.keyId)!.history)
    expect(resolvesIn(mirror, keys.one, '2027-01-01T12:00:00Z')).toBe(false)
  })
})
