// Keys that the server holds for Agents: made here, sealed here, and used here for the work of a worker and nothing else.
import { randomBytes, randomUUID } from 'node:crypto'
import { encodeBase64url } from '../../../protocol/base64url.ts'
import { canonicalize } from '../../../protocol/canonical-json.ts'
import { CUSTODY_MARK, HELD_BY_SERVER } from '../../../protocol/custody.ts'
import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { AgentCard, Command, Signature } from '../../../protocol/generated/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, invariant, ok } from '../../../protocol/result.ts'
import type { DocumentKind } from '../../../protocol/signed-documents.ts'
import { signDocument } from '../../../protocol/signed-documents.ts'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import { endsInUpperZ, isTimestamp } from '../../../protocol/timestamp.ts'
import { validateDocument } from '../../../protocol/validate.ts'
import { PROTOCOL_VERSION } from '../../../protocol/version.ts'
import type { AgentMirror } from '../agent-mirror.ts'
import type { NativeSigner } from '../native-ed25519.ts'
import { createNativeSigner } from '../native-ed25519.ts'
import type { Clock, CommandReceipt, CredentialStore, CustodialKey, RegisteredKey, SpaceLog } from '../ports.ts'
import { actionIdCollision, groupNotFound } from '../refusals.ts'
import type { AuthorityService, Identities, Reads, Sessions, SubmitOutcome } from '../service.ts'
import { Turns } from '../turns.ts'
import { isCustodialKind } from './custodial-kinds.ts'
import { openSeed, sealSeed } from './sealed-seed.ts'
import type { CustodialCommand, Custody } from './types.ts'

/** What every door takes at most. */
const maximumCommandBytes = 256 * 1024 - 512
/** Signed under an epoch that has passed; nothing was accepted. */
const staleCodes: ReadonlySet<string> = new Set(['AUTH_STALE_SESSION', 'MEMBERSHIP_STALE'])

interface Needs {
  /** Seals the keys; 32 bytes. */
  readonly secret: Uint8Array
  readonly store: Pick<CredentialStore, 'findCustodialKey' | 'putCustodialKey'>
  readonly log: Pick<SpaceLog, 'findReceipt'>
  readonly identities: Pick<Identities, 'addAgent' | 'cardOf' | 'keysOf' | 'key' | 'principal'> & { refresh(): Promise<void> }
  /** The key when it is valid now. */
  readonly validKey: (keyId: string) => RegisteredKey | undefined
  readonly sessions: Pick<Sessions, 'challenge' | 'accept' | 'ended'>
  readonly agents: Pick<AgentMirror, 'sessionEpochOf' | 'sessionKeyOf'>
  readonly reads: Pick<Reads, 'groupFor'>
  readonly submit: AuthorityService['submitCommand']
  readonly clock: Clock
}

interface Holder extends NativeSigner { readonly principalId: string; readonly keyId: string }
type Adoption = Parameters<Custody['adopt']>[0]

export class HeldKeys implements Custody {
  readonly #needs: Needs
  readonly #holders = new Map<string, Holder>()
  readonly #turns = new Turns<string>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  holds = (principalId: string): boolean => this.#heldKey(principalId) !== undefined

  async adopt(input: Adoption): ReturnType<Custody['adopt']> {
    const principalId = input.agentId ?? newUrn()
    const adopting = () => this.#turns.run(principalId, () => this.#adopt(principalId, input))
    const adopted = await adopting()
    // Another node may have registered the key meanwhile, which is known here since it refused this node's registration.
    return adopted.ok || !this.holds(principalId) ? adopted : adopting()
  }

  async submit(principalId: string, command: CustodialCommand): Promise<SubmitOutcome> {
    const { kind, groupId, actionId = newUrn() } = command
    const refused = (rejection: Rejection): SubmitOutcome => ({ ok: false, rejection, actionId, groupId })
    if (!isCustodialKind(kind)) return refused(reject('AUTH_FORBIDDEN', `A key that the server holds does not sign ${kind}.`))
    const holder = await this.#holder(principalId)
    if (holder === undefined) return refused(noKey())
    const asked = { ...command, actionId }
    const earlier = command.actionId === undefined ? undefined : await this.#earlier(principalId, asked)
    if (earlier !== undefined) return earlier
    const outcome = await this.#attempt(holder, asked)
    if (outcome.ok) return outcome
    if (staleCodes.has(outcome.rejection.code)) return this.#attempt(holder, asked)
    // Of two that asked at once with one Action ID, the slower one learns here what became of it.
    if (outcome.rejection.code === 'ACTION_ID_COLLISION') return (await this.#earlier(principalId, asked)) ?? outcome
    return outcome
  }

  signArtifact: Custody['signArtifact'] = (principalId, manifest) => this.#signOwn(principalId, 'artifact', manifest, manifest.producer?.agentId)
  signEvidence: Custody['signEvidence'] = (principalId, evidence) => this.#signOwn(principalId, 'evidence', evidence, evidence.generatedBy?.id)

  /** Only what is a whole document of its kind leaves this method with a signature. */
  async #signOwn<T extends { readonly createdAt: string }>(principalId: string, kind: DocumentKind, document: T, producerId: string | undefined): Promise<Result<T & { signature: Signature }, { reason: string }>> {
    const holder = await this.#holder(principalId)
    if (holder === undefined) return err({ reason: noKey().message })
    if (producerId !== principalId) return err({ reason: 'A key that the server holds signs documents of its own Agent alone.' })
    const fit = canonicalize(document)
    if (!fit.ok) return err({ reason: fit.error.message })
    if (!isTimestamp(document.createdAt) || !endsInUpperZ(document.createdAt)) return err({ reason: 'createdAt must be an RFC 3339 timestamp that ends in Z' })
    const signed = await signDocument<{ readonly createdAt: string }>(document, 'createdAt', holder.keyId, holder.sign)
    const fault = validateDocument(kind, signed)
    return fault ? err({ reason: `${fault.path || 'the document'} ${fault.message}` }) : ok(signed as T & { signature: Signature })
  }

  async #adopt(principalId: string, input: Adoption): ReturnType<Custody['adopt']> {
    const { identities } = this.#needs
    await identities.refresh()
    const known = identities.principal(principalId)
    if (known && known.principal.type !== 'agent') return err({ reason: 'keys are held for Agents alone' })
    if (identities.keysOf(principalId).some((key) => key.custody !== HELD_BY_SERVER)) return err({ reason: 'this Agent holds a key of its own' })
    const held = await this.#keyFor(principalId)
    const { keyId, publicKey } = this.#unseal(held)
    const card = identities.cardOf(principalId)
    if (this.holds(principalId) && card && saysTheSame(card, input)) return ok({ agentId: principalId, keyId })
    const { name, capabilities, maxConcurrency } = input
    const added = await identities.addAgent({ name, capabilities, agentId: principalId, keyId, publicKey: encodeBase64url(publicKey), custody: HELD_BY_SERVER, ...(maxConcurrency !== undefined && { maxConcurrency }) })
    return added.ok ? ok({ agentId: principalId, keyId }) : added
  }

  /** The key that is kept for the Principal, or a new one where there is none or the one that there was has ended. */
  async #keyFor(principalId: string): Promise<CustodialKey> {
    const { store, identities, validKey } = this.#needs
    const kept = await store.findCustodialKey(principalId)
    if (kept !== undefined && (identities.key(kept.keyId) === undefined || validKey(kept.keyId) !== undefined)) return kept
    const keyId = newUrn()
    const sealed = sealSeed(this.#needs.secret, { principalId, keyId }, randomBytes(32))
    return store.putCustodialKey({ principalId, keyId, sealed }, kept?.keyId)
  }

  #unseal({ principalId, keyId, sealed }: CustodialKey): Holder {
    return { principalId, keyId, ...createNativeSigner(openSeed(this.#needs.secret, { principalId, keyId }, sealed)) }
  }

  #heldKey(principalId: string): RegisteredKey | undefined {
    const keys = this.#needs.identities.keysOf(principalId).filter(({ principal, custody }) => principal.type === 'agent' && custody === HELD_BY_SERVER)
    return keys.find(({ keyId }) => this.#needs.validKey(keyId) !== undefined)
  }

  async #holder(principalId: string): Promise<Holder | undefined> {
    const key = this.#heldKey(principalId)
    if (key === undefined) return undefined
    const known = this.#holders.get(principalId)
    if (known?.keyId === key.keyId) return known
    const kept = await this.#needs.store.findCustodialKey(principalId)
    if (kept?.keyId !== key.keyId) return undefined
    const holder = this.#unseal(kept)
    this.#holders.set(principalId, holder)
    return holder
  }

  /** What became of an earlier Command with this Action ID; undefined when there was none. */
  async #earlier(principalId: string, asked: CustodialCommand & { readonly actionId: string }): Promise<SubmitOutcome | undefined> {
    const receipt = await this.#needs.log.findReceipt(principalId, asked.actionId)
    if (receipt === undefined) return undefined
    if (!isAskedBy(receipt, asked)) return { ok: false, rejection: actionIdCollision(), actionId: asked.actionId, groupId: asked.groupId }
    return this.#needs.submit(receipt.commandBytes, { door: 'internal' })
  }

  async #attempt(holder: Holder, command: CustodialCommand & { readonly actionId: string }): Promise<SubmitOutcome> {
    const { actionId, groupId } = command
    const found = await this.#needs.reads.groupFor(holder.principalId, groupId)
    if (found === undefined) return { ok: false, rejection: groupNotFound(), actionId, groupId }
    const sessionEpoch = await this.#sessionEpoch(holder)
    if (!sessionEpoch.ok) return { ok: false, rejection: sessionEpoch.error, actionId, groupId }
    const bytes = await this.#sign(holder, command, { sessionEpoch: sessionEpoch.value, membershipEpoch: found.membership.membershipEpoch })
    return bytes.ok ? this.#needs.submit(bytes.value, { door: 'internal' }) : { ok: false, rejection: bytes.error, actionId, groupId }
  }

  async #sign(holder: Holder, asked: CustodialCommand & { readonly actionId: string }, epochs: { sessionEpoch: number; membershipEpoch: number }): Promise<Result<Uint8Array, Rejection>> {
    const { kind, groupId, conversationId, workItemId, expectedRevision, causedByEventId, payload, actionId } = asked
    const unsigned: Omit<Command, 'signature'> = {
      protocolVersion: PROTOCOL_VERSION,
      actionId,
      actor: { type: 'agent', id: holder.principalId },
      kind: kind as Command['kind'],
      correlationId: actionId,
      issuedAt: this.#needs.clock.now(),
      groupId,
      ...epochs,
      ...(conversationId !== undefined && { conversationId }),
      ...(workItemId !== undefined && { workItemId }),
      ...(expectedRevision !== undefined && { expectedRevision }),
      ...(causedByEventId !== undefined && { causedByEventId }),
      payload,
      extensions: CUSTODY_MARK,
    }
    const fit = canonicalize(unsigned)
    if (!fit.ok) return err(reject('SCHEMA_VALIDATION_FAILED', 'The payload is outside the I-JSON model.'))
    const bytes = canonicalize(await signDocument(unsigned, 'issuedAt', holder.keyId, holder.sign))
    invariant(bytes.ok, 'a signature is within the I-JSON model')
    return bytes.value.length > maximumCommandBytes ? err(reject('INVALID_COMMAND', `A Command may have ${maximumCommandBytes} bytes.`)) : bytes
  }

  /**
   * Epoch of the session under which the server acts for the Agent: one for all nodes, and for the next run of the server too.
   * It is opened by the ordinary handshake where there is none, or where the Agent's own runtime has opened the current one.
   */
  async #sessionEpoch(holder: Holder): Promise<Result<number, Rejection>> {
    const epoch = this.#ownEpoch(holder)
    return epoch === undefined ? this.#turns.run(holder.principalId, () => this.#shakeHands(holder)) : ok(epoch)
  }

  #ownEpoch({ principalId, keyId }: Holder): number | undefined {
    const { agents } = this.#needs
    return agents.sessionKeyOf(principalId) === keyId ? agents.sessionEpochOf(principalId) : undefined
  }

  async #shakeHands(holder: Holder): Promise<Result<number, Rejection>> {
    const { sessions } = this.#needs
    const { principalId, keyId, sign } = holder
    const epoch = this.#ownEpoch(holder)
    if (epoch !== undefined) return ok(epoch)
    const hello = { agentId: principalId, keyId, clientNonce: encodeBase64url(randomBytes(24)) }
    const challenge = await sessions.challenge(hello)
    if (!challenge.ok) return challenge
    const { challengeId, serverNonce } = challenge.value
    const signature = encodeBase64url(await sign(Buffer.from(challenge.value.challenge, 'base64url')))
    const accepted = await sessions.accept({ ...hello, challengeId, serverNonce, signature })
    if (!accepted.ok) return accepted
    // Nothing is connected by it: whether the Agent is there is for its door to say.
    sessions.ended(accepted.value)
    return ok(accepted.value.sessionEpoch)
  }
}

const newUrn = () => `urn:uuid:${randomUUID()}`
const noKey = () => reject('AUTH_FORBIDDEN', 'The server holds no key for this Principal.')

/** Whether the card would say the same again. */
function saysTheSame({ displayName, capabilities, maxConcurrency }: AgentCard, { name, capabilities: asked, maxConcurrency: wanted = 1 }: Adoption): boolean {
  const named = (list: readonly { id: string; version: string }[]) => list.map(({ id, version }) => `${id}@${version}`).sort().join(' ')
  return displayName === name && maxConcurrency === wanted && named(capabilities) === named(asked)
}

/** Whether the accepted Command says what is asked for again; what was true when it was signed may differ by now. */
function isAskedBy({ commandBytes }: CommandReceipt, { kind, groupId, conversationId, workItemId, payload }: CustodialCommand): boolean {
  const parsed = parseStrictJson(commandBytes)
  invariant(parsed.ok, 'an accepted Command is strict JSON')
  const accepted = parsed.value.value as unknown as Command
  const same = (one: object, other: object) => canonicalOf(one) === canonicalOf(other)
  return accepted.kind === kind && accepted.groupId === groupId && accepted.conversationId === conversationId && accepted.workItemId === workItemId && same(accepted.payload, payload)
}

/** Undefined outside the I-JSON model. */
function canonicalOf(value: object): string | undefined {
  const canonical = canonicalize(value)
  return canonical.ok ? Buffer.from(canonical.value).toString('utf8') : undefined
}
