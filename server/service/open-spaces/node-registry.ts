// Nodes: registered at a door by name, by an id of their own or by who they are elsewhere, or met as Principals of another door.
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../protocol/strict-json.ts'
import { isStorable } from '../../authority/storable-text.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, invariant, ok } from '../../../protocol/result.ts'
import type { Clock, NodeChange, NodeIdentity, NodeRecord, OpenSpaceStore, PrincipalRecord } from '../ports.ts'
import { maximumDescriptionLength, maximumIdentities, maximumIdentityBytes, maximumMetaBytes, maximumNameLength, maximumPage, maximumPageBytes } from './limits.ts'
import { RecentMap } from '../../recent-map.ts'
import { refuse } from './refusal.ts'
import type { IdentityBinding, NodeInfo, NodeRegistration, Nodes, Refusable, SpaceRefusal } from './types.ts'

export interface NodeNeeds {
  readonly store: Pick<OpenSpaceStore, 'findNodes' | 'listNodes' | 'addNode' | 'changeNode' | 'removeIdentity'>
  readonly clock: Clock
  readonly principal: (principalId: string) => PrincipalRecord | undefined
  /** Whether the Principal has a key, whoever holds it, or has ever belonged to a Group: such a one is nobody else's to register. */
  readonly isEstablished: (principalId: string) => Promise<boolean>
  /** A Principal was added with its Node. */
  readonly onPrincipal: (principal: PrincipalRecord) => void
  /** A Node was changed. */
  readonly onChanged: () => void
}

/** A registration whose texts are in order. */
interface Claim {
  readonly change: NodeChange & { readonly name: string; readonly identities: readonly NodeIdentity[] }
  readonly nodeId?: string
  readonly accessKeyId?: string
  readonly callerId?: string
}
type Registered = Result<{ readonly node: NodeInfo; readonly isNew: boolean }, SpaceRefusal>

/** Simultaneous registrations make room for one another at once; more attempts than this cannot be needed. */
const maximumAttempts = 8
const rememberedNodes = 10_000

export class NodeRegistry implements Nodes {
  readonly #needs: NodeNeeds
  /** By Principal. Forgotten when any Node changes, here or elsewhere. */
  readonly #recent = new RecentMap<string, NodeInfo>(rememberedNodes)
  #changes = 0

  constructor(needs: NodeNeeds) {
    this.#needs = needs
  }

  /** Nodes may have changed on another node of this server. */
  forget(): void {
    this.#changes++
    this.#recent.clear()
  }

  async register(registration: NodeRegistration): Promise<Registered> {
    const claim = claimOf(registration)
    if (!claim.ok) return claim
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      const outcome = await this.#tryToRegister(claim.value)
      if (outcome !== 'again') return outcome
    }
    invariant(false, `Nodes changed under ${maximumAttempts} registrations in a row`)
  }

  async describe(nodeId: string, change: Parameters<Nodes['describe']>[1]): Refusable<NodeInfo> {
    const record = await this.#record(nodeId)
    if (record === undefined) return noSuchNode()
    const claim = claimOf({ name: record.name, ...change })
    if (!claim.ok) return claim
    if (hasTooMany(record, claim.value.change)) return tooManyIdentities()
    const outcome = await this.#change(nodeId, claim.value.change)
    return outcome === 'taken' ? refuse('conflict', 'this identity leads to another Node') : this.#found(nodeId)
  }

  async byId(nodeId: string): Promise<NodeInfo | undefined> {
    const record = await this.#record(nodeId)
    return record && infoOf(record)
  }

  async isEnrolledBy(nodeId: string, accessKeyId: string): Promise<boolean> {
    const record = await this.#record(nodeId)
    return record !== undefined && this.#isEnrolled(record, accessKeyId)
  }

  async ofPrincipal(principalId: string): Promise<NodeInfo | undefined> {
    const known = this.#recent.get(principalId)
    if (known) return known
    if (!isStorable(principalId)) return undefined
    const before = this.#changes
    const record = (await this.#ofPrincipal(principalId)) ?? (await this.#addFor(principalId))
    if (record === undefined) return undefined
    const info = infoOf(record)
    if (before === this.#changes) this.#recent.set(principalId, info)
    return info
  }

  async list({ after, limit }: Parameters<Nodes['list']>[0]): Promise<readonly NodeInfo[]> {
    if (after !== undefined && !isStorable(after)) return []
    const records = await this.#needs.store.listNodes({ limit: Math.min(limit, maximumPage), maximumBytes: maximumPageBytes, ...(after !== undefined && { after }) })
    return records.map(infoOf)
  }

  async resolve(namespace: string, subject: string): Refusable<NodeInfo> {
    const pair = identityOf({ namespace, subject })
    if (!pair.ok) return pair
    const [record] = await this.#needs.store.findNodes({ identities: [pair.value] })
    return record ? ok(infoOf(record)) : refuse('not_found', 'no Node is bound to this identity')
  }

  async bind(nodeId: string, binding: IdentityBinding): Refusable<NodeInfo> {
    const identity = identityOf(binding)
    if (!identity.ok) return identity
    const record = await this.#record(nodeId)
    if (!record) return noSuchNode()
    const isOwn = record.identities.some((own) => own.namespace === identity.value.namespace && own.subject === identity.value.subject)
    if (!isOwn && record.identities.length >= maximumIdentities) return tooManyIdentities()
    if ((await this.#change(nodeId, { identities: [identity.value] })) === 'taken') return refuse('conflict', 'this identity leads to another Node')
    return this.#found(nodeId)
  }

  async unbind(nodeId: string, namespace: string, subject: string): Refusable<NodeInfo> {
    const pair = identityOf({ namespace, subject })
    if (!pair.ok) return pair
    if (!(await this.#record(nodeId))) return noSuchNode()
    await this.#needs.store.removeIdentity(nodeId, pair.value)
    this.#changed()
    return this.#found(nodeId)
  }

  async #tryToRegister(claim: Claim): Promise<Registered | 'again'> {
    const found = await this.#find(claim)
    if (!found.ok) return found
    return found.value ? this.#renew(found.value, claim) : this.#add(claim)
  }

  /** By its bindings if any are given, else by id, and by name only when neither is given. New bindings of a known id go to that Node. */
  async #find({ nodeId, change: { name, identities } }: Claim): Promise<Result<NodeRecord | undefined, SpaceRefusal>> {
    const { store } = this.#needs
    const bound = identities.length > 0 ? await store.findNodes({ identities }) : []
    if (bound.length > 1) return refuse('conflict', 'the identities lead to different Nodes')
    if (bound[0]) return ok(bound[0])
    if (nodeId !== undefined) return ok(await this.#record(nodeId))
    if (identities.length > 0) return ok(undefined)
    return ok((await store.findNodes({ claimedName: name }))[0])
  }

  async #renew(record: NodeRecord, { change, accessKeyId, callerId }: Claim): Promise<Registered | 'again'> {
    const { nodeId, principalId } = record
    if (callerId !== principalId && !(await this.#isEnrolled(record, accessKeyId))) return refuse('forbidden', 'this Node was enrolled by somebody else')
    if (hasTooMany(record, change)) return tooManyIdentities()
    if ((await this.#change(nodeId, change)) === 'taken') return 'again'
    const node = await this.#found(nodeId)
    return node.ok ? ok({ node: node.value, isNew: false }) : node
  }

  /** What an access key enrolled is its own to enrol again, until the Principal has more to lose than the Node. */
  async #isEnrolled({ principalId, ...record }: NodeRecord, accessKeyId: string | undefined): Promise<boolean> {
    return accessKeyId !== undefined && accessKeyId === record.accessKeyId && !(await this.#needs.isEstablished(principalId))
  }

  async #add({ change, nodeId, accessKeyId }: Claim): Promise<Registered | 'again'> {
    const createdAt = this.#needs.clock.now()
    const { name, description = '', meta = '{}', identities } = change
    const principalId = `urn:uuid:${randomUUID()}`
    const isByName = nodeId === undefined && identities.length === 0
    const record: NodeRecord = { nodeId: nodeId ?? principalId, principalId, name, description, meta, identities, createdAt, ...(isByName && { claimedName: name }), ...(accessKeyId !== undefined && { accessKeyId }) }
    const principal: PrincipalRecord = { principal: { type: 'agent', id: principalId }, name, isAdmin: false, createdAt }
    if ((await this.#needs.store.addNode(record, principal)) === 'taken') return 'again'
    this.#needs.onPrincipal(principal)
    return ok({ node: infoOf(record), isNew: true })
  }

  /** The Node of a Principal that came by another door. */
  async #addFor(principalId: string): Promise<NodeRecord | undefined> {
    const principal = this.#needs.principal(principalId)
    if (principal === undefined) return undefined
    await this.#needs.store.addNode({ nodeId: principalId, principalId, name: principal.name, description: '', meta: '{}', identities: [], createdAt: this.#needs.clock.now() })
    return this.#ofPrincipal(principalId)
  }

  async #ofPrincipal(principalId: string): Promise<NodeRecord | undefined> {
    return (await this.#needs.store.findNodes({ principalId }))[0]
  }

  async #change(nodeId: string, change: NodeChange): Promise<'changed' | 'taken'> {
    const outcome = await this.#needs.store.changeNode(nodeId, change)
    if (outcome === 'changed') this.#changed()
    return outcome
  }

  #changed(): void {
    this.forget()
    this.#needs.onChanged()
  }

  async #record(nodeId: string): Promise<NodeRecord | undefined> {
    return isStorable(nodeId) ? (await this.#needs.store.findNodes({ nodeIds: [nodeId] }))[0] : undefined
  }

  async #found(nodeId: string): Promise<Result<NodeInfo, SpaceRefusal>> {
    const info = await this.byId(nodeId)
    return info ? ok(info) : noSuchNode()
  }
}

const hasTooMany = (record: NodeRecord, { identities }: Claim['change']) => new Set([...record.identities, ...identities].map(pairKey)).size > maximumIdentities
const tooManyIdentities = () => refuse('invalid_input', `a Node has at most ${maximumIdentities} identities`)
const noSuchNode = () => refuse('not_found', 'there is no such Node')
const pairKey = ({ namespace, subject }: Pick<NodeIdentity, 'namespace' | 'subject'>) => JSON.stringify([namespace, subject])

export function infoOf({ nodeId, principalId, name, description, meta, identities }: NodeRecord): NodeInfo {
  return {
    nodeId,
    principalId,
    name,
    description,
    meta: JSON.parse(meta) as JsonObject,
    identities: identities.map(({ namespace, subject, claims }) => ({ namespace, subject, ...(claims !== undefined && { claims: JSON.parse(claims) as JsonObject }) })),
  }
}

/** What is absent of description and meta stays as it was. */
function claimOf({ name, description, meta, nodeId, identities = [], accessKeyId, callerId }: NodeRegistration): Result<Claim, SpaceRefusal> {
  const fault = faultOfTexts(name, description, meta)
  if (fault !== undefined) return refuse('invalid_input', fault)
  if (nodeId !== undefined && !/^[0-9a-f]{32}$/i.test(nodeId)) return refuse('invalid_input', 'the id of a Node is 32 hexadecimal digits')
  if (identities.length > maximumIdentities) return tooManyIdentities()
  const bound = identities.map(identityOf)
  const refused = bound.find((identity) => !identity.ok)
  if (refused?.ok === false) return err(refused.error)
  const pairs = bound.flatMap((identity) => (identity.ok ? [identity.value] : []))
  if (new Set(pairs.map(pairKey)).size < pairs.length) return refuse('invalid_input', 'an identity is given twice')
  return ok({
    change: { name, identities: pairs, ...(description !== undefined && { description }), ...(meta !== undefined && { meta: JSON.stringify(meta) }) },
    ...(nodeId !== undefined && { nodeId }),
    ...(accessKeyId !== undefined && { accessKeyId }),
    ...(callerId !== undefined && { callerId }),
  })
}

function faultOfTexts(name: string, description = '', meta: JsonObject = {}): string | undefined {
  if (name.trim() === '' || name.length > maximumNameLength) return `a name has 1 to ${maximumNameLength} characters`
  if (description.length > maximumDescriptionLength) return `a description has at most ${maximumDescriptionLength} characters`
  if (!isStorable([name, description])) return 'a text holds U+0000 or half a character'
  if (Buffer.byteLength(JSON.stringify(meta)) > maximumMetaBytes) return `meta has at most ${maximumMetaBytes} bytes`
  return undefined
}

function identityOf({ namespace, subject, claims }: IdentityBinding): Result<NodeIdentity, SpaceRefusal> {
  const pair = { namespace: namespace.trim(), subject: subject.trim() }
  const parts = Object.values(pair)
  if (parts.includes('')) return refuse('invalid_input', 'namespace and subject must not be blank')
  if (Buffer.byteLength(parts.join('')) > maximumIdentityBytes) return refuse('invalid_input', `namespace and subject together have at most ${maximumIdentityBytes} bytes`)
  if (!isStorable(pair)) return refuse('invalid_input', 'a text holds U+0000 or half a character')
  if (claims === undefined) return ok(pair)
  const text = JSON.stringify(claims)
  return Buffer.byteLength(text) > maximumMetaBytes ? refuse('invalid_input', `claims have at most ${maximumMetaBytes} bytes`) : ok({ ...pair, claims: text })
}
