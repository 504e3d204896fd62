// From received bytes to the Space's actor, in the order of A-221: parse, six stages, receipt, payload, admission and
// freshness, critical extensions, session, decision. The receipt is looked up last, and only where something else is
// wrong with a Command: the decision looks for it anyway.
import { HELD_BY_SERVER, isMarkedCustodial } from '../../protocol/custody.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { ArtifactImportPayload, Command } from '../../protocol/generated/types.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import { AGENT_CARD_REGISTER, ARTIFACT_IMPORT, SESSION_OPEN } from '../../protocol/kinds.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { JsonObject, JsonValue, ParsedJson } from '../../protocol/strict-json.ts'
import { isJsonObject, parseStrictJson } from '../../protocol/strict-json.ts'
import { encodeUtf8 } from '../../protocol/utf8.ts'
import { isCommandPayloadKind } from '../../protocol/validate.ts'
import type { SignatureVerifier, VerificationFailure, VerifiedDocument } from '../../protocol/verify-document.ts'
import { verifyParsedDocument } from '../../protocol/verify-document.ts'
import { artifactSourceIn } from '../authority/artifact-import.ts'
import { payloadRefused } from '../authority/payload.ts'
import { canonicalForm } from '../authority/reference-forms.ts'
import type { ArtifactSource, DecisionEnv } from '../authority/types.ts'
import type { Log } from '../log.ts'
import type { AuditTrail } from './audit-trail.ts'
import { refusedExtension } from './critical-extensions.ts'
import { isFresh } from './freshness.ts'
import { verifyNestedDocuments } from './nested-documents.ts'
import type { PolicyLog } from './policy-log.ts'
import type { PolicyMirror } from './policy-mirror.ts'
import type { Clock, RegisteredKey, SpaceLog } from './ports.ts'
import type { ProfileMirror } from './profile-mirror.ts'
import { actionIdCollision, internalError, invalidSignature } from './refusals.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { Handshake } from './registry-service.ts'
import type { AgentSession, Door, Sessions, SubmitOutcome } from './service.ts'
import type { WorkOutcome } from './space-actor.ts'
import type { SpaceActors } from './space-actors.ts'
import type { AdmissibleCommand } from './space-fold.ts'
import { Turns } from './turns.ts'

interface Needs {
  readonly organizationId: string
  readonly log: Pick<SpaceLog, 'findReceipt' | 'readAt'>
  readonly keys: RegistryMirror
  readonly policies: PolicyMirror
  readonly profiles: ProfileMirror
  readonly cardOf: DecisionEnv['cardOf']
  readonly actors: SpaceActors
  readonly clock: Clock
  readonly verifySignature: SignatureVerifier
  readonly audit: AuditTrail
  readonly rulings: PolicyLog
  readonly diagnostics: Log
  readonly isCurrentSession: Sessions['isCurrent']
}

export interface SubmitContext {
  readonly door: Door
  readonly session?: AgentSession
  /** Whom the door takes for the sender where there is no session: a network address. */
  readonly peer?: string
  /** With `session_open`, from the Registry alone. */
  readonly handshake?: Handshake
}

type Checked<T> = Result<T, SubmitOutcome>

export class CommandPath {
  readonly #needs: Needs
  readonly #turns = new Turns<AgentSession>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Never rejects: a fault is logged and answered with INTERNAL_ERROR, which may be retried unchanged. */
  async submit(input: Uint8Array | ParsedJson, context: SubmitContext): Promise<SubmitOutcome> {
    try {
      return await this.#submit(input, context)
    } catch (fault) {
      this.#needs.diagnostics.error({ err: fault, door: context.door }, 'a Command could not be processed')
      return { ok: false, rejection: internalError() }
    }
  }

  async #submit(input: Uint8Array | ParsedJson, context: SubmitContext): Promise<SubmitOutcome> {
    const parsed = input instanceof Uint8Array ? parseStrictJson(input) : ok(input)
    if (!parsed.ok) return this.#unverified({ stage: 'parse', reason: parsed.error.reason, code: 'PROTOCOL_VIOLATION' }, undefined, context)
    const bytes = input instanceof Uint8Array ? input : encodeUtf8(input.text)
    const checking = this.#check(parsed.value, bytes, context)
    // It may fail before its turn in the session comes, which is where its fault is taken.
    checking.catch(() => undefined)
    const queued = context.session ? await this.#turns.run(context.session, () => this.#enqueue(checking)) : await this.#enqueue(checking)
    if (!queued.ok) return queued.error
    const { command, outcome } = queued.value
    return this.#answer(command, await outcome, context)
  }

  /** Resolves when the Command is in its Space's queue, so that one sender's Commands are decided in the order of their arrival. */
  async #enqueue(checking: Promise<Checked<AdmissibleCommand>>): Promise<Checked<{ command: AdmissibleCommand; outcome: Promise<WorkOutcome> }>> {
    const checked = await checking
    if (!checked.ok) return checked
    const command = checked.value
    const spaceId = spaceOf(command.document.value) ?? this.#needs.organizationId
    return ok({ command, outcome: this.#needs.actors.submit(spaceId, { type: 'command', command }) })
  }

  async #check(parsed: ParsedJson, bytes: Uint8Array, context: SubmitContext): Promise<Checked<AdmissibleCommand>> {
    const { keys, verifySignature, profiles, cardOf, clock } = this.#needs
    const verified = await verifyParsedDocument({ kind: 'command', bytes, registry: keys, verifySignature, ...parsed })
    if (!verified.ok) return err(this.#unverified(verified.error, parsed.value, context))
    const foreign = refuseForeign(verified.value.value, context)
    if (foreign) return err(refused(foreign, verified.value.value))
    const canonical = inCanonicalForm(verified.value)
    if (!canonical.ok) return err(await this.#unlessReceived(verified.value, canonical.error))
    const document = canonical.value
    const command = document.value
    const misshapen = refusePayload(command, parsed)
    if (misshapen) return err(await this.#unlessReceived(document, misshapen))
    if (!isFresh(document.protectedTime, clock.now(), this.#needs.policies.current.freshnessSeconds)) {
      this.#audit({ stage: 'freshness', reason: 'outside-window' }, command, context)
      return err(await this.#unlessReceived(document, invalidSignature()))
    }
    const nested = await verifyNestedDocuments(command, keys, verifySignature)
    if (!nested.ok) {
      this.#audit({ ...nested.error, reason: `nested ${nested.error.reason}` }, command, context)
      return err(await this.#unlessReceived(document, rejectionOf(nested.error)))
    }
    const key = keys.key(document.keyId)
    const late = refusedExtension(command, { profiles, cardOf, now: clock.now() }) ?? refuseMark(command, key) ?? this.#refuseEnded(context)
    if (late) return err(await this.#unlessReceived(document, late))
    const keyUse = key?.keyUse ?? 'conversation'
    const source = command.kind === ARTIFACT_IMPORT ? await this.#sourceOf(command) : undefined
    return ok({ document, keyUse, nested: nested.value, ...(context.handshake && { handshake: context.handshake }), ...(source && { source }) })
  }

  /** Looked up before the Command takes its place in the queue: a Space that waits for another one while it decides could wait for ever. */
  async #sourceOf({ actor, payload }: Command): Promise<ArtifactSource | undefined> {
    const named = payload as unknown as ArtifactImportPayload
    const { actors } = this.#needs
    await actors.catchUp(named.sourceGroupId)
    return artifactSourceIn((await actors.read(named.sourceGroupId)).group, named, actor.id)
  }

  /** The Session Epoch is judged with the decision; here it is whether the session of the door is over. */
  #refuseEnded({ session }: SubmitContext): Rejection | undefined {
    const isOver = session !== undefined && !this.#needs.isCurrentSession(session)
    return isOver ? reject('AUTH_STALE_SESSION', 'This session is over.') : undefined
  }

  /** The receipt goes before anything that a retry of an accepted Command may fail by now. */
  async #unlessReceived({ value: command, signingHash }: VerifiedDocument<'command'>, rejection: Rejection): Promise<SubmitOutcome> {
    const receipt = await this.#needs.log.findReceipt(command.actor.id, command.actionId)
    if (receipt === undefined) return refused(rejection, command)
    if (receipt.signingHash !== signingHash) return refused(actionIdCollision(), command)
    const { spaceId, sequence } = receipt
    const [original] = await this.#needs.log.readAt(spaceId, [sequence])
    return original ? { ok: true, spaceId, sequence, eventBytes: original.bytes, isDuplicate: true } : refused(internalError(), command)
  }

  #answer({ document: { value: command } }: AdmissibleCommand, outcome: WorkOutcome, context: SubmitContext): SubmitOutcome {
    if (outcome.type === 'accepted') {
      const { spaceId, sequence, eventBytes, isDuplicate } = outcome
      return { ok: true, spaceId, sequence, eventBytes, isDuplicate }
    }
    if (outcome.type === 'done') return refused(internalError(), command)
    this.#needs.rulings.refused(spaceOf(command) ?? this.#needs.organizationId, command, outcome.rejection)
    if (outcome.audit) this.#audit(outcome.audit, command, context)
    return refused(outcome.rejection, command)
  }

  #unverified(failure: VerificationFailure, value: JsonValue | undefined, context: SubmitContext): SubmitOutcome {
    const claimed = isJsonObject(value) ? value : {}
    const [actionId, groupId] = [identifierIn(claimed, 'actionId'), identifierIn(claimed, 'groupId')]
    this.#needs.audit.record({
      stage: failure.stage,
      reason: failure.reason,
      door: context.door,
      sender: context.session?.agentId ?? context.peer ?? '',
      isVerified: false,
      ...(groupId && { spaceId: groupId }),
      detail: { ...(actionId && { actionId }), ...(failure.schemaFault && { path: failure.schemaFault.path, keyword: failure.schemaFault.keyword }) },
    })
    return { ok: false, rejection: rejectionOf(failure), ...(actionId && { actionId }), ...(groupId && { groupId }) }
  }

  #audit({ stage, reason }: { stage: string; reason: string }, command: Command, { door }: SubmitContext): void {
    const { groupId, actionId, actor, signature } = command
    this.#needs.audit.record({ stage, reason, door, sender: actor.id, isVerified: true, ...(groupId && { spaceId: groupId }), detail: { actionId, actorId: actor.id, keyId: signature.keyId } })
  }
}

/** A door that authenticates its peer carries that peer's Commands alone, and shows it the Events of no others. */
function refuseForeign({ actor }: Command, { session }: SubmitContext): Rejection | undefined {
  const isOwn = session === undefined || (actor.type === 'agent' && actor.id === session.agentId)
  return isOwn ? undefined : reject('AUTH_FORBIDDEN', 'This session belongs to another Principal.')
}

/** Whoever signs for itself does not say that the server did: the mark tells who had the key in hand. */
function refuseMark(command: Command, key: RegisteredKey | undefined): Rejection | undefined {
  const isHeld = key?.custody === HELD_BY_SERVER && key.principal.type === 'agent'
  return isMarkedCustodial(command) && !isHeld ? reject('AUTH_FORBIDDEN', 'This key is not held by the server, and its Commands do not say so.') : undefined
}

/** The Group, or nothing for what concerns the whole Organization. */
const spaceOf = ({ kind, groupId }: Command): string | undefined => (kind === AGENT_CARD_REGISTER || kind === SESSION_OPEN ? undefined : groupId)

/** Judged on the numbers as written, which the decision cannot see any more. Kinds without a shape are for the decision to refuse. */
function refusePayload({ kind, payload }: Command, { value, schemaView }: ParsedJson): Rejection | undefined {
  if (!isCommandPayloadKind(kind)) return reject('INVALID_COMMAND', `This authority does not serve ${kind}.`)
  // Written as they are kept: the payload has its form already.
  if (schemaView === value) return payloadRefused(kind, payload)
  const form = canonicalForm({ kind }, (schemaView as JsonObject).payload as JsonObject)
  return form.ok ? payloadRefused(kind, form.value.payload) : form.error
}

/** The same document, bytes and hash included, with the payload that is decided on. */
function inCanonicalForm(document: VerifiedDocument<'command'>): Result<VerifiedDocument<'command'>, Rejection> {
  const { value: command } = document
  const form = canonicalForm(command, command.payload)
  if (!form.ok) return form
  return ok(form.value.payload === command.payload ? document : { ...document, value: { ...command, ...form.value } })
}

function rejectionOf({ code, schemaFault }: VerificationFailure): Rejection {
  if (code === 'AUTH_INVALID_SIGNATURE') return invalidSignature()
  if (schemaFault === undefined) return reject(code, 'The document is not strict JSON within the I-JSON model.')
  const { path, keyword, message } = schemaFault
  return reject(code, `${path || 'the document'} ${message}`, { details: { path, keyword } })
}

const refused = (rejection: Rejection, { actionId, groupId }: Command): SubmitOutcome => ({ ok: false, rejection, actionId, ...(groupId && { groupId }) })

/** A member of an unverified document, only to let its sender match the answer. */
function identifierIn(object: JsonObject, member: string): string | undefined {
  const value = object[member]
  return typeof value === 'string' && isIdentifier(value) ? value : undefined
}
