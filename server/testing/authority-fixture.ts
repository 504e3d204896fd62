// An authority on an in-memory store with people and Agents that sign. For tests only.
import { createHash, generateKeyPairSync, randomUUID, sign as signRaw } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Readable } from 'node:stream'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { Actor, Command, EventDocument, Signature } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import { signDocument } from '../../protocol/signed-documents.ts'
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import { silentLog } from '../log.ts'
import { saw } from './evidence.ts'
import { createMemoryStore } from './memory-store.ts'
import { createAuthorityService } from '../service/authority-service.ts'
import { decodeEvent } from '../service/event-bytes.ts'
import { foundOrganization, parseOrganizationKeys } from '../service/organization-keys.ts'
import type { OrganizationKeys } from '../service/organization-keys.ts'
import type { ArtifactStore, Clock, Store } from '../service/ports.ts'
import type { AgentSession, AuthorityService, SubmitOutcome } from '../service/service.ts'

export const newUrn = () => `urn:uuid:${randomUUID()}`

/** A clock that stands still until it is moved. */
export class StillClock implements Clock {
  #ms = Date.parse('2026-11-29T12:00:00Z')
  nowMs = () => this.#ms
  now = () => instantFromEpochMs(this.#ms)
  advance(seconds: number): void {
    this.#ms += seconds * 1000
  }
}

/** Someone with a registered key. */
export interface Signatory {
  readonly actor: Actor
  readonly keyId: string
  sign(bytes: Uint8Array): Uint8Array
}
export interface Person extends Signatory { readonly conversation: Signatory }
export interface Agent extends Signatory { session: AgentSession }

export type Draft = Partial<Omit<Command, 'signature' | 'actor'>> & Pick<Command, 'kind' | 'payload'>

export interface Fixture<Time extends Clock = StillClock> {
  readonly service: AuthorityService
  readonly store: Store
  readonly clock: Time
  readonly organization: OrganizationKeys
  /** A person with a key for decisions and one for conversation. */
  person(name: string, rights?: { readonly isAdmin: boolean }): Promise<Person>
  /** A registered Agent with an open session. */
  agent(name: string): Promise<Agent>
  /** A registered service; policy lets it do nothing yet. */
  serviceOf(name: string): Promise<Signatory>
  handshake(agent: Pick<Agent, 'actor' | 'keyId' | 'sign'>): Promise<AgentSession>
  /** Exact bytes of a signed Command issued now. */
  command(signatory: Signatory, draft: Draft): Promise<Uint8Array>
  submit(signatory: Signatory, draft: Draft): Promise<SubmitOutcome>
  /** A Mission of the owner's, coordinated by the Agent. */
  mission(owner: Person, coordinator: Agent, changes?: Record<string, unknown>): Promise<{ missionId: string; groupId: string }>
}

export interface FixtureOptions { readonly store?: Store; readonly clock?: StillClock; readonly organization?: OrganizationKeys; readonly artifacts?: ArtifactStore }

export async function startAuthority(options: FixtureOptions = {}): Promise<Fixture> {
  const clock = options.clock ?? new StillClock()
  const store = options.store ?? createMemoryStore({ clock })
  const organization = options.organization ?? parseOrganizationKeys(foundOrganization('Test', clock.now()))
  const artifacts = options.artifacts ?? memoryArtifacts()
  const service = await createAuthorityService({ store, artifacts, organization, origin: 'http://127.0.0.1:4310', diagnostics: silentLog() })
  return fixtureOn(service, { clock, store, organization })
}

/** People and Agents for a service that is running already. */
export function fixtureOn<Time extends Clock>(service: AuthorityService, { clock, store, organization }: Pick<Fixture<Time>, 'clock' | 'store' | 'organization'>): Fixture<Time> {
  const command = (signatory: Signatory, draft: Draft) => signCommand(signatory, draft, clock.now())
  const handshake: Fixture['handshake'] = (agent) => openSession(service, agent)
  return {
    service,
    store,
    clock,
    organization,
    command,
    handshake,
    async submit(signatory, draft) {
      const outcome = await service.submitCommand(await command(signatory, draft), { door: 'http' })
      if (outcome.ok) saw('accepted', draft.kind)
      else saw('refused', draft.kind, outcome.rejection.code, 'unknown')
      return outcome
    },
    person: (name, rights) => enrol(service, name, rights),
    async agent(name) {
      const key = newKey()
      const added = await service.identities.addAgent({ name, publicKey: key.publicKey, capabilities: [{ id: 'release.report', version: '1.0.0' }] })
      invariant(added.ok, added.ok ? '' : added.error.reason)
      const agent = { actor: { type: 'agent', id: added.value.agentId } as const, keyId: added.value.keyId, sign: key.sign }
      return { ...agent, session: await handshake(agent) }
    },
    async serviceOf(name) {
      const key = newKey()
      const added = await service.identities.addService({ name, publicKey: key.publicKey })
      invariant(added.ok, added.ok ? '' : added.error.reason)
      return { actor: added.value.principal, keyId: added.value.keyId, sign: key.sign }
    },
    async mission(owner, coordinator, changes = {}) {
      const [missionId, groupId] = [newUrn(), newUrn()]
      const payload = missionPayload(missionId, groupId, coordinator.actor.id, changes)
      const outcome = await service.submitCommand(await command(owner, { kind: 'mission.create', groupId, payload }), { door: 'http' })
      invariant(outcome.ok, outcome.ok ? '' : outcome.rejection.message)
      return { missionId, groupId }
    },
  }
}

function missionPayload(missionId: string, groupId: string, coordinatorAgentId: string, changes: Record<string, unknown>): Record<string, unknown> {
  return {
    missionId,
    groupId,
    title: 'A release',
    coordinatorAgentId,
    objective: 'Review the release.',
    definitionOfDone: [{ criterionId: 'report', description: 'There is a report.', evidenceRequired: ['artifact_integrity'] }],
    budget: { toolCallLimit: 100 },
    deadline: '2027-01-01T00:00:00Z',
    approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' },
    coordinatorLeaseSeconds: 86_400,
    ...changes,
  }
}

async function signCommand(signatory: Signatory, draft: Draft, now: string): Promise<Uint8Array> {
  const actionId = draft.actionId ?? newUrn()
  const unsigned = { protocolVersion: '0.1', correlationId: actionId, issuedAt: now, ...draft, actionId, actor: signatory.actor }
  return encodeCanonical(await signDocument(unsigned, 'issuedAt', signatory.keyId, signatory.sign))
}

/** Signs a document of the signatory's. */
export function signAs<T extends object>(signatory: Signatory, document: T, protectedTime: string & keyof T): Promise<T & { signature: Signature }> {
  return signDocument(document, protectedTime, signatory.keyId, signatory.sign)
}

/** The Event that answered, or a failure that names the refusal. */
export function eventOf(outcome: SubmitOutcome): EventDocument {
  invariant(outcome.ok, outcome.ok ? '' : `${outcome.rejection.code}: ${outcome.rejection.message}`)
  return decodeEvent(outcome.eventBytes)
}

export const codeOf = (outcome: SubmitOutcome): string => (outcome.ok ? 'accepted' : outcome.rejection.code)

export function newKey(): { publicKey: string; privateKey: KeyObject; sign: (bytes: Uint8Array) => Uint8Array } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { publicKey: encodeBase64url(raw), privateKey, sign: (bytes) => signRaw(null, bytes, privateKey) }
}

async function enrol(service: AuthorityService, name: string, { isAdmin } = { isAdmin: false }): Promise<Person> {
  const { token } = await service.identities.invite({ name, isAdmin, ttlSeconds: 600 })
  const challenge = encodeCanonical({ challengeId: newUrn(), purpose: 'countersign.console.enrol' })
  const pairs = [newKey(), newKey()] as const
  const uses = ['authority', 'conversation'] as const
  const keys = uses.map((use, index) => ({ use, publicKey: pairs[index]!.publicKey, custody: 'test', label: use, proof: encodeBase64url(pairs[index]!.sign(challenge)) }))
  const enrolled = await service.identities.enrol({ token, name, challenge, keys })
  invariant(enrolled.ok, enrolled.ok ? '' : enrolled.error.reason)
  const [authority, conversation] = uses.map((_, index) => ({ actor: enrolled.value.principal, keyId: enrolled.value.keys[index]!.keyId, sign: pairs[index]!.sign }))
  return { ...authority!, conversation: conversation! }
}

async function openSession(service: AuthorityService, { actor, keyId, sign }: Pick<Agent, 'actor' | 'keyId' | 'sign'>): Promise<AgentSession> {
  const hello = { agentId: actor.id, keyId, clientNonce: encodeBase64url(Buffer.from(randomUUID())) }
  const challenge = await service.sessions.challenge(hello)
  invariant(challenge.ok, challenge.ok ? '' : challenge.error.message)
  const { challengeId, serverNonce } = challenge.value
  const signature = encodeBase64url(sign(Buffer.from(challenge.value.challenge, 'base64url')))
  const accepted = await service.sessions.accept({ ...hello, challengeId, serverNonce, signature })
  invariant(accepted.ok, accepted.ok ? '' : accepted.error.message)
  return accepted.value
}

/** Artifacts in memory. */
/** All that a server stands on, in memory. A later run on the same goes on where the last one ended. */
export function memoryResources(options: Parameters<typeof createMemoryStore>[0] = {}) {
  const store = createMemoryStore(options)
  return { store, organization: parseOrganizationKeys(foundOrganization('Test', store.clock.now())), artifacts: memoryArtifacts() }
}

export function memoryArtifacts(): ArtifactStore {
  const kept = new Map<string, { bytes: Uint8Array; mediaType: string; uploaders: Set<string> }>()
  return {
    async put(content, { mediaType, maxBytes, uploadedBy }) {
      const chunks: Uint8Array[] = []
      for await (const chunk of content) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      if (bytes.length > maxBytes) return 'too-large'
      const contentHash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      if (!kept.has(contentHash)) kept.set(contentHash, { bytes, mediaType, uploaders: new Set() })
      kept.get(contentHash)!.uploaders.add(uploadedBy)
      return { contentHash, sizeBytes: bytes.length, mediaType }
    },
    async find(contentHash) {
      const found = kept.get(contentHash)
      return found && { contentHash, sizeBytes: found.bytes.length, mediaType: found.mediaType, uploadedBy: [...found.uploaders][0]! }
    },
    isFrom: async (contentHash, principalId) => kept.get(contentHash)?.uploaders.has(principalId) === true,
    open: async (contentHash) => {
      const found = kept.get(contentHash)
      return found && Readable.from([found.bytes])
    },
    read: async (contentHash) => kept.get(contentHash)?.bytes,
  }
}
