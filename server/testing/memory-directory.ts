import { invariant } from '../../protocol/result.ts'
import type { KeyBoundary } from '../../protocol/key-registry.ts'
import { compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'
import type { AgentCard } from '../../protocol/generated/types.ts'
import type { Directory, Invitation, PrincipalRecord, RegisteredKey } from '../service/ports.ts'

/** The Organization's directory in Maps. */
export function createMemoryDirectory(): Directory {
  return { ...createKeys(), ...createPrincipals(), ...createAgents(), ...createConsole(), addAuditEntry: async () => {} }
}

function createKeys(): Pick<Directory, 'loadKeys' | 'addKey' | 'addKeyBoundary'> {
  const keys = new Map<string, RegisteredKey>()
  return {
    async loadKeys() {
      const sorted = [...keys.values()].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
      return { revision: sorted.reduce((sum, key) => sum + 1 + key.history.length, 0), keys: sorted }
    },
    async addKey(key) {
      const rivals = [...keys.values()].filter((rival) => rival.keyId === key.keyId || rival.publicKey === key.publicKey)
      if (rivals.length > 0) return rivals.every((rival) => termsOf(rival) === termsOf(key)) ? 'same' : 'taken'
      const { use: _use, ...binding } = key
      const isPersonal = key.keyUse === 'authority' || key.keyUse === 'conversation'
      keys.set(key.keyId, { ...binding, ...(isPersonal && { use: key.keyUse }) } as RegisteredKey)
      return 'added'
    },
    async addKeyBoundary(keyId, { validUntil, revokedAt, recordedAt }) {
      const key = keys.get(keyId)
      invariant(key, 'only a known key can end')
      const boundary = {
        ...(isEarlier(validUntil, key.history.map((entry) => entry.validUntil)) && { validUntil }),
        ...(isEarlier(revokedAt, key.history.map((entry) => entry.revokedAt)) && { revokedAt }),
      } as KeyBoundary
      if (Object.keys(boundary).length > 0) keys.set(keyId, { ...key, history: [...key.history, { ...boundary, recordedAt }] })
    },
  }
}

const termsOf = ({ keyId, publicKey, algorithm, principal, validFrom, keyUse }: RegisteredKey) =>
  JSON.stringify([keyId, publicKey, algorithm, principal.type, principal.id, validFrom, keyUse])

function isEarlier(end: string | undefined, recorded: readonly (string | undefined)[]): boolean {
  return end !== undefined && recorded.every((other) => other === undefined || compareInstants(parseTimestamp(end)!, parseTimestamp(other)!) < 0)
}

function createPrincipals(): Pick<Directory, 'addPrincipal' | 'listPrincipals'> {
  const principals = new Map<string, PrincipalRecord>()
  return {
    async addPrincipal(record) {
      if (principals.has(record.principal.id)) return 'taken'
      principals.set(record.principal.id, record)
      return 'added'
    },
    listPrincipals: async () => [...principals.values()].sort((a, b) => (a.principal.id < b.principal.id ? -1 : 1)),
  }
}

function createAgents(): Pick<Directory, 'putCard' | 'listCards' | 'nextSessionEpoch' | 'sessionEpochs' | 'saveCursor' | 'loadCursors'> {
  const cards = new Map<string, Map<number, { card: AgentCard; text: string }>>()
  const epochs = new Map<string, number>()
  const cursors = new Map<string, Map<string, number>>()
  return {
    async putCard(card, bytes) {
      const versions = cards.get(card.agentId) ?? new Map<number, { card: AgentCard; text: string }>()
      const text = new TextDecoder().decode(bytes)
      invariant((versions.get(card.cardVersion)?.text ?? text) === text, 'a Card version has one content')
      cards.set(card.agentId, versions.set(card.cardVersion, { card, text }))
    },
    async listCards() {
      const current = [...cards.values()].map((versions) => versions.get(Math.max(...versions.keys()))!.card)
      return current.sort((a, b) => (a.agentId < b.agentId ? -1 : 1))
    },
    async nextSessionEpoch(agentId) {
      const next = (epochs.get(agentId) ?? 0) + 1
      epochs.set(agentId, next)
      return next
    },
    sessionEpochs: async () => new Map(epochs),
    async saveCursor(agentId, groupId, sequence) {
      const groups = cursors.get(agentId) ?? new Map<string, number>()
      cursors.set(agentId, groups.set(groupId, Math.max(groups.get(groupId) ?? 0, sequence)))
    },
    loadCursors: async (agentId) => new Map(cursors.get(agentId)),
  }
}

type ConsoleMembers = 'addInvitation' | 'findInvitation' | 'consumeInvitation' | 'addConsoleSession' | 'findConsoleSession' | 'endConsoleSession'

function createConsole(): Pick<Directory, ConsoleMembers> {
  const invitations = new Map<string, Invitation>()
  const sessions = new Map<string, { principalId: string; keyId: string; expiresAt: string }>()
  return {
    async addInvitation(invitation) {
      invitations.set(invitation.tokenHash, invitation)
    },
    findInvitation: async (tokenHash) => invitations.get(tokenHash),
    consumeInvitation: async (tokenHash) => invitations.delete(tokenHash),
    async addConsoleSession({ tokenHash, ...session }) {
      sessions.set(tokenHash, session)
    },
    findConsoleSession: async (tokenHash) => sessions.get(tokenHash),
    async endConsoleSession(tokenHash) {
      sessions.delete(tokenHash)
    },
  }
}
