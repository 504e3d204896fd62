import { invariant } from '../../protocol/result.ts'
import type { KeyBoundary } from '../../protocol/key-registry.ts'
import { compareInstants, parseTimestamp } from '../../protocol/timestamp.ts'
import type { AgentCard } from '../../protocol/generated/types.ts'
import type { AuditEntry, Directory, Invitation, PrincipalRecord, RegisteredKey, Registration, RegistrationOutcome } from '../service/ports.ts'

class Tables {
  readonly keys = new Map<string, RegisteredKey>()
  readonly principals = new Map<string, PrincipalRecord>()
  /** Those that were not used. */
  readonly invitations = new Map<string, Invitation>()
  readonly sessions = new Map<string, { principalId: string; keyId: string; expiresAt: string }>()
}

/** The Organization's directory in Maps. */
export function createMemoryDirectory(): Directory {
  const tables = new Tables()
  return { ...createKeys(tables), ...createPrincipals(tables), ...createAgents(), ...createConsole(tables), ...createAudit() }
}

function createKeys({ keys }: Tables): Pick<Directory, 'loadKeys' | 'keyRevision' | 'addKey' | 'addKeyBoundary'> {
  const keyRevision = async () => [...keys.values()].reduce((sum, key) => sum + 1 + key.history.length, 0)
  return {
    loadKeys: async () => ({ revision: await keyRevision(), keys: [...keys.values()].sort((a, b) => (a.keyId < b.keyId ? -1 : 1)) }),
    keyRevision,
    async addKey(key) {
      const standing = standingOf(keys, key)
      if (standing === 'free') insertKey(keys, key)
      return standing === 'free' ? 'added' : standing
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

function standingOf(keys: ReadonlyMap<string, RegisteredKey>, key: RegisteredKey): 'free' | 'same' | 'taken' {
  const rivals = [...keys.values()].filter((rival) => rival.keyId === key.keyId || rival.publicKey === key.publicKey)
  if (rivals.length === 0) return 'free'
  return rivals.every((rival) => termsOf(rival) === termsOf(key)) ? 'same' : 'taken'
}

function insertKey(keys: Map<string, RegisteredKey>, key: RegisteredKey): void {
  const { use: _use, ...binding } = key
  const isPersonal = key.keyUse === 'authority' || key.keyUse === 'conversation'
  keys.set(key.keyId, { ...binding, ...(isPersonal && { use: key.keyUse }) } as RegisteredKey)
}

const termsOf = ({ keyId, publicKey, algorithm, principal, validFrom, keyUse }: RegisteredKey) =>
  JSON.stringify([keyId, publicKey, algorithm, principal.type, principal.id, validFrom, keyUse])

function isEarlier(end: string | undefined, recorded: readonly (string | undefined)[]): boolean {
  return end !== undefined && recorded.every((other) => other === undefined || compareInstants(parseTimestamp(end)!, parseTimestamp(other)!) < 0)
}

function createPrincipals(tables: Tables): Pick<Directory, 'register' | 'listPrincipals' | 'findPrincipal'> {
  return {
    register: async (registration) => register(tables, registration),
    listPrincipals: async () => [...tables.principals.values()].sort((a, b) => (a.principal.id < b.principal.id ? -1 : 1)),
    findPrincipal: async (principalId) => tables.principals.get(principalId),
  }
}

/** Checks everything before it writes anything. */
function register({ principals, keys, invitations }: Tables, { invitation, principal: record, keys: own }: Registration): RegistrationOutcome {
  const { principal } = record
  if (invitation && !invitations.has(invitation.tokenHash)) return 'invitation-used'
  if ((principals.get(principal.id)?.principal.type ?? principal.type) !== principal.type) return 'principal-taken'
  if (own.some((key) => standingOf(keys, key) === 'taken')) return 'key-taken'
  if (invitation) invitations.delete(invitation.tokenHash)
  if (!principals.has(principal.id)) principals.set(principal.id, record)
  for (const key of own) if (standingOf(keys, key) === 'free') insertKey(keys, key)
  return 'registered'
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

function createAudit(): Pick<Directory, 'addAuditEntry' | 'auditEntries'> {
  const entries: (AuditEntry & { entry: number })[] = []
  return {
    addAuditEntry: async (entry) => void entries.push({ ...entry, entry: entries.length + 1 }),
    auditEntries: async ({ spaceId, before = Infinity, limit }) => entries.filter((entry) => entry.spaceId === spaceId && entry.entry < before).reverse().slice(0, limit),
  }
}

type ConsoleMembers = 'addInvitation' | 'findInvitation' | 'addConsoleSession' | 'findConsoleSession' | 'endConsoleSession' | 'forget'

function createConsole({ invitations, sessions }: Tables): Pick<Directory, ConsoleMembers> {
  return {
    async addInvitation(invitation) {
      invitations.set(invitation.tokenHash, invitation)
    },
    findInvitation: async (tokenHash) => invitations.get(tokenHash),
    async addConsoleSession({ tokenHash, ...session }) {
      sessions.set(tokenHash, session)
    },
    findConsoleSession: async (tokenHash) => sessions.get(tokenHash),
    async endConsoleSession(tokenHash) {
      sessions.delete(tokenHash)
    },
    async forget({ expiredBefore }) {
      for (const rows of [invitations, sessions]) for (const [tokenHash, { expiresAt }] of rows) if (expiresAt < expiredBefore) rows.delete(tokenHash)
    },
  }
}
