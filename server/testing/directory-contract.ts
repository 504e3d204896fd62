import { describe, expect, it } from 'vitest'
import type { AgentCard } from '../../protocol/generated/types.ts'
import type { PrincipalRecord, RegisteredKey, Store } from '../service/ports.ts'
import { newHash, newId } from './batch-samples.ts'

const key = (changes: Partial<RegisteredKey> = {}): RegisteredKey => ({
  keyId: newId(),
  principal: { type: 'human', id: newId() },
  algorithm: 'Ed25519',
  publicKey: newId(),
  validFrom: '2026-11-29T10:00:00.000Z',
  history: [],
  keyUse: 'authority',
  use: 'authority',
  custody: 'browser, not extractable',
  label: 'laptop',
  ...changes,
})

const record = (changes: Partial<PrincipalRecord> = {}): PrincipalRecord => ({ principal: { type: 'human', id: newId() }, name: 'Ada', isAdmin: true, createdAt: '2026-11-29T10:00:00.000Z', ...changes })
const use = (tokenHash: string) => ({ tokenHash, at: '2026-11-29T11:00:00.000Z' })

// The store reads two members of a Card and keeps its bytes.
const card = (agentId: string, cardVersion: number, displayName = 'Inventory'): AgentCard => ({ agentId, cardVersion, displayName }) as AgentCard
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

export function describeDirectory(store: () => Store): void {
  const directory = () => store().directory
  const addInvitation = async (changes: { expiresAt?: string } = {}) => {
    const invitation = { tokenHash: newHash(), name: 'Ada', isAdmin: false, createdAt: '2026-11-29T10:00:00.000Z', expiresAt: '2026-11-30T10:00:00.000Z', ...changes }
    await directory().addInvitation(invitation)
    return invitation
  }
  const loadKey = async (keyId: string) => (await directory().loadKeys()).keys.find((known) => known.keyId === keyId)

  describe('keys', () => {
    it('are added once; the same binding again is the same (A-62)', async () => {
      const added = key()
      expect(await directory().addKey(added)).toBe('added')
      expect(await directory().addKey({ ...added, label: 'renamed' })).toBe('same')
      expect(await loadKey(added.keyId)).toEqual(added)
    })

    it.each([
      ['the key id for another public key', { publicKey: newId() }],
      ['the public key under an alias', { keyId: newId() }],
      ['the binding for another Principal', { principal: { type: 'agent', id: newId() } as const }],
      ['the binding with another start', { validFrom: '2026-11-29T10:00:00.001Z' }],
      ['the binding for another use', { keyUse: 'conversation' } as const],
    ])('refuse %s (A-62)', async (_name, changes) => {
      const added = key()
      await directory().addKey(added)
      expect(await directory().addKey({ ...added, ...changes })).toBe('taken')
      expect(await loadKey(added.keyId)).toEqual(added)
    })

    it('are bound by exactly one of many rivals at once', async () => {
      const publicKey = newId()
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => directory().addKey(key({ publicKey }))))
      expect(outcomes.sort()).toEqual(['added', ...Array.from({ length: 7 }, () => 'taken')])
    })

    it('end earlier, never later, and keep what was recorded before (A-64)', async () => {
      const added = key({ history: [{ recordedAt: '2026-11-29T10:00:00Z', validUntil: '2027-01-01T00:00:00Z' }] })
      await directory().addKey(added)
      const record = (boundary: { validUntil?: string; revokedAt?: string }) => directory().addKeyBoundary(added.keyId, { ...boundary, recordedAt: '2026-12-01T00:00:00Z' })
      await record({ validUntil: '2027-06-01T00:00:00Z' })
      await record({ validUntil: '2027-01-01T01:00:00.0+01:00' })
      await record({ validUntil: '2026-12-31T23:59:59.9999Z' })
      await record({ validUntil: '2027-01-01T00:00:00Z', revokedAt: '2026-12-24T00:00:00Z' })
      await record({ revokedAt: '2026-12-25T00:00:00Z' })
      expect((await loadKey(added.keyId))?.history).toEqual([
        { recordedAt: '2026-11-29T10:00:00Z', validUntil: '2027-01-01T00:00:00Z' },
        { recordedAt: '2026-12-01T00:00:00Z', validUntil: '2026-12-31T23:59:59.9999Z' },
        { recordedAt: '2026-12-01T00:00:00Z', revokedAt: '2026-12-24T00:00:00Z' },
      ])
    })

    it('keep boundaries in order when many are recorded at once', async () => {
      const added = key()
      await directory().addKey(added)
      const ends = Array.from({ length: 9 }, (_, day) => `2026-12-0${day + 1}T00:00:00Z`)
      await Promise.all(ends.map((revokedAt) => directory().addKeyBoundary(added.keyId, { revokedAt, recordedAt: '2026-11-30T00:00:00Z' })))
      const kept = (await loadKey(added.keyId))!.history.map((boundary) => boundary.revokedAt!)
      expect(kept).toEqual([...kept].sort().reverse())
      expect(kept.at(-1)).toBe(ends[0])
    })

    it('have a revision that every change raises and nothing else (A-66)', async () => {
      const revision = async () => {
        const { revision: loaded } = await directory().loadKeys()
        expect(await directory().keyRevision()).toBe(loaded)
        return loaded
      }
      const before = await revision()
      const added = key()
      await directory().addKey(added)
      const after = await revision()
      expect(after).toBeGreaterThan(before)
      await directory().addKey(added)
      expect(await revision()).toBe(after)
      await directory().addKeyBoundary(added.keyId, { revokedAt: '2026-12-01T00:00:00Z', recordedAt: '2026-11-30T00:00:00Z' })
      expect(await revision()).toBeGreaterThan(after)
    })

    it('cannot end when they are unknown', async () => {
      await expect(directory().addKeyBoundary(newId(), { revokedAt: '2026-12-01T00:00:00Z', recordedAt: '2026-11-30T00:00:00Z' })).rejects.toThrow()
    })
  })

  describe('registrations', () => {
    const people = async (id: string) => {
      const listed = (await directory().listPrincipals()).filter((known) => known.principal.id === id)
      expect(await directory().findPrincipal(id)).toEqual(listed[0])
      return listed
    }

    it('keep a Principal and its keys as they were first registered', async () => {
      const [principal, own] = [record(), key()]
      expect(await directory().register({ principal, keys: [own] })).toBe('registered')
      expect(await directory().register({ principal: { ...principal, name: 'Eve' }, keys: [{ ...own, label: 'renamed' }, key({ principal: principal.principal })] })).toBe('registered')
      expect([await people(principal.principal.id), await loadKey(own.keyId)]).toEqual([[principal], own])
    })

    it('refuse the id of a Principal of another type', async () => {
      const principal = record()
      await directory().register({ principal, keys: [] })
      const agentKey = key()
      const outcome = await directory().register({ principal: { ...principal, principal: { type: 'agent', id: principal.principal.id } }, keys: [agentKey] })
      expect([outcome, await people(principal.principal.id), await loadKey(agentKey.keyId)]).toEqual(['principal-taken', [principal], undefined])
    })

    it('let exactly one of 20 callers use an invitation', async () => {
      const invitation = await addInvitation()
      expect(await directory().findInvitation(invitation.tokenHash)).toEqual(invitation)
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => directory().register({ invitation: use(invitation.tokenHash), principal: record(), keys: [key()] })))
      expect(outcomes.sort()).toEqual([...Array.from({ length: 19 }, () => 'invitation-used'), 'registered'])
      expect(await directory().findInvitation(invitation.tokenHash)).toBeUndefined()
      expect(await directory().register({ invitation: use(newHash()), principal: record(), keys: [] })).toBe('invitation-used')
    })

    it('write nothing when a key is taken (A-62)', async () => {
      const [taken, free, invitation, principal] = [key(), key(), await addInvitation(), record()]
      await directory().addKey(taken)
      expect(await directory().register({ invitation: use(invitation.tokenHash), principal, keys: [free, key({ publicKey: taken.publicKey })] })).toBe('key-taken')
      expect([await directory().findInvitation(invitation.tokenHash), await people(principal.principal.id), await loadKey(free.keyId)]).toEqual([invitation, [], undefined])
    })

    it('of the same keys at once, in whatever order, are won by one', async () => {
      const [one, two] = [newId(), newId()]
      const orders = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? [one, two] : [two, one]))
      const outcomes = await Promise.all(orders.map((order) => directory().register({ principal: record(), keys: order.map((publicKey) => key({ publicKey })) })))
      expect(outcomes.sort()).toEqual([...Array.from({ length: 7 }, () => 'key-taken'), 'registered'])
    })

    it.each([
      ['a label', () => ({ keys: [key(), key({ label: 'nul \0' })] })],
      ['a custody', () => ({ keys: [key({ custody: 'nul \0' })] })],
      ['a name', () => ({ principal: record({ name: 'nul \0' }) })],
    ])('write nothing when %s holds U+0000', async (_, changes) => {
      const invitation = await addInvitation()
      const registration = { invitation: use(invitation.tokenHash), principal: record(), keys: [key()], ...changes() }
      await expect(directory().register(registration)).rejects.toThrow()
      expect([await directory().findInvitation(invitation.tokenHash), await people(registration.principal.principal.id), await loadKey(registration.keys[0]!.keyId)]).toEqual([invitation, [], undefined])
    })

    it('and questions refuse U+0000', async () => {
      await expect(directory().findInvitation('nul \0')).rejects.toThrow()
      await expect(store().readModels.missionById('nul \0')).rejects.toThrow()
      await expect(store().log.head('nul \0')).rejects.toThrow()
    })
  })

  describe('people and Agents', () => {
    it('list the newest Card of an Agent and never change a version', async () => {
      const agentId = newId()
      for (const version of [1, 3, 2]) await directory().putCard(card(agentId, version), encode(card(agentId, version)))
      await directory().putCard(card(agentId, 3), encode(card(agentId, 3)))
      expect((await directory().listCards()).filter((known) => known.agentId === agentId)).toEqual([card(agentId, 3)])
      await expect(directory().putCard(card(agentId, 3, 'Other'), encode(card(agentId, 3, 'Other')))).rejects.toThrow()
    })

    it('give every session of an Agent its own epoch, counted from 1 (A-35)', async () => {
      const agentId = newId()
      const epochs = await Promise.all(Array.from({ length: 10 }, () => directory().nextSessionEpoch(agentId)))
      expect(epochs.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect((await directory().sessionEpochs()).get(agentId)).toBe(10)
    })

    it('move a Cursor forward only (A-234)', async () => {
      const [agentId, groupId] = [newId(), newId()]
      for (const sequence of [5, 9, 7]) await directory().saveCursor(agentId, groupId, sequence)
      expect(await directory().loadCursors(agentId)).toEqual(new Map([[groupId, 9]]))
      expect(await directory().loadCursors(newId())).toEqual(new Map())
    })
  })

  describe('invitations and console sessions', () => {
    it('find a console session until it ends', async () => {
      const session = { tokenHash: newHash(), principalId: newId(), keyId: newId(), expiresAt: '2026-11-30T10:00:00.000Z' }
      await directory().addConsoleSession(session)
      const { tokenHash, ...found } = session
      expect(await directory().findConsoleSession(tokenHash)).toEqual(found)
      await directory().endConsoleSession(tokenHash)
      expect(await directory().findConsoleSession(tokenHash)).toBeUndefined()
    })

    it('are forgotten once they are out of date', async () => {
      const session = { tokenHash: newHash(), principalId: newId(), keyId: newId(), expiresAt: '2026-11-30T10:00:00.000Z' }
      const [older, newer] = [await addInvitation({ expiresAt: '2026-11-30T10:00:00.000Z' }), await addInvitation({ expiresAt: '2026-11-30T10:00:00.001Z' })]
      await directory().addConsoleSession(session)
      await directory().addConsoleSession({ ...session, tokenHash: `${session.tokenHash}x`, expiresAt: '2026-11-30T10:00:00.001Z' })
      await directory().forget({ expiredBefore: '2026-11-30T10:00:00.001Z', auditedBefore: '2026-08-30T10:00:00.000Z' })
      expect([await directory().findInvitation(older.tokenHash), await directory().findInvitation(newer.tokenHash)]).toEqual([undefined, newer])
      expect([await directory().findConsoleSession(session.tokenHash), await directory().findConsoleSession(`${session.tokenHash}x`)]).toEqual([undefined, expect.objectContaining({ keyId: session.keyId })])
    })

    it('take audit entries with whatever a peer sent (A-106)', async () => {
      const entry = { at: '2026-11-29T10:00:00.000Z', stage: 'key-resolution', reason: 'key-unknown', door: 'mwp', spaceId: 'nul \0', detail: { keyId: 'nul \0 "quote"' } }
      await expect(directory().addAuditEntry(entry)).resolves.toBeUndefined()
    })

    it('give the audit entries of one Space, newest first, page by page (A-106)', async () => {
      const spaceId = newId()
      const entry = { at: '2026-11-29T10:00:00.000Z', stage: 'key-resolution', door: 'mwp', detail: { keyId: 'urn:a:b' } }
      for (const reason of ['one', 'two', 'three']) await directory().addAuditEntry({ ...entry, reason, spaceId })
      await directory().addAuditEntry({ ...entry, reason: 'other', spaceId: newId() })
      const found = await directory().auditEntries({ spaceId, limit: 2 })
      expect(found).toEqual(['three', 'two'].map((reason) => ({ ...entry, reason, spaceId, entry: expect.any(Number) })))
      expect((await directory().auditEntries({ spaceId, before: found[1]!.entry, limit: 2 })).map(({ reason }) => reason)).toEqual(['one'])
    })
  })
}
