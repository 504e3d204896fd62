// A person's end, for tests, scripts and demonstrations: the same procedures and signed Commands as the browser's.
import type { Actor, Approval, CommandPayloads, MessagePostPayload, MissionCreatePayload } from '../protocol/generated/types.ts'
import type { StoredContent } from './authority-http.ts'
import { downloadContent, postCommand, uploadContent } from './authority-http.ts'
import type { CommandKind, CommandTarget } from './build-command.ts'
import { buildCommand } from './build-command.ts'
import { ConsoleHttp } from './console-http.ts'
import type { HumanKey, HumanKeyUse } from './console-sign-in.ts'
import { enrolWith, signInWith } from './console-sign-in.ts'
import { Identity } from './identity.ts'
import { missionConversation, newId, timeNow } from './ids.ts'
import type { ApprovalStanding, MissionStanding } from './mission-standing.ts'
import type { Receipt } from './refusal.ts'
import { HttpFault } from './refusal.ts'

export type MissionPlan = Omit<MissionCreatePayload, 'missionId' | 'groupId' | 'approvalPolicy'> &
  Partial<Pick<MissionCreatePayload, 'missionId' | 'groupId' | 'approvalPolicy'>>

/** Kinds that a conversation key may sign; everything else takes the authority key. */
const CONVERSATION_KINDS: ReadonlySet<string> = new Set(['message.post', 'work.propose'])
const DEFAULT_POLICY = { finalHumanApproval: true, highRiskExecutionApproval: true }

export class HumanClient {
  readonly principal: Actor
  readonly keys: readonly HumanKey[]
  readonly #console: ConsoleHttp
  readonly #identities: ReadonlyMap<HumanKeyUse, Identity>

  private constructor(principalId: string, keys: readonly HumanKey[], console: ConsoleHttp) {
    this.principal = { type: 'human', id: principalId }
    this.keys = keys
    this.#console = console
    this.#identities = new Map(keys.map(({ use, keyId, seed }) => [use, new Identity(this.principal, keyId, seed)]))
  }

  /** Redeems an invitation with two new keys and signs in. `keys` of the result hold the private halves. */
  static async enrol(origin: string, invitation: { token: string; name: string }): Promise<HumanClient> {
    const console = new ConsoleHttp(origin)
    const { principalId, keys } = await enrolWith(console, invitation)
    return new HumanClient(principalId, keys, console)
  }

  /** Signs in with the first of these keys, all of which must belong to one person. */
  static async signIn(origin: string, keys: readonly [HumanKey, ...HumanKey[]]): Promise<HumanClient> {
    const console = new ConsoleHttp(origin)
    return new HumanClient(await signInWith(console, keys[0]), keys, console)
  }

  get principalId(): string {
    return this.principal.id
  }

  /** Signs with the weakest key that may sign this kind, and submits. `target` names Group and Membership epoch where needed. */
  async submit<K extends CommandKind>(
    kind: K,
    payload: CommandPayloads[K],
    target: CommandTarget & { membershipEpoch?: number } = {},
  ): Promise<Receipt> {
    const { bytes } = await buildCommand(this.#identityFor(kind), kind, payload, target)
    return postCommand(this.#console.origin, bytes)
  }

  /** Submits a Command in the Group of a Mission under the present Membership epoch. */
  async submitIn<K extends CommandKind>(
    mission: Pick<MissionStanding, 'groupId' | 'me'>,
    kind: K,
    payload: CommandPayloads[K],
    target: CommandTarget = {},
  ): Promise<Receipt> {
    return this.submit(kind, payload, { ...target, groupId: mission.groupId, membershipEpoch: mission.me.membershipEpoch })
  }

  /** Founds a Mission with this person as its owner. */
  async createMission(plan: MissionPlan): Promise<{ missionId: string; groupId: string; receipt: Receipt }> {
    const { missionId = newId(), groupId = newId(), approvalPolicy = DEFAULT_POLICY, ...rest } = plan
    const receipt = await this.submit('mission.create', { missionId, groupId, approvalPolicy, ...rest }, { groupId })
    return { missionId, groupId, receipt }
  }

  /** Signs and submits the approval of exactly what was submitted last. */
  approve(missionId: string, comments = ''): Promise<Receipt> {
    return this.#decide('mission.approve', missionId, { decision: 'approved', comments, conditions: [] })
  }

  /** Sends what was submitted last back with a signed change request. */
  requestChanges(missionId: string, comments: string, conditions: readonly string[] = []): Promise<Receipt> {
    return this.#decide('mission.request_changes', missionId, { decision: 'changes_requested', comments, conditions: [...conditions] })
  }

  /** Posts text, to the Mission's Conversation unless another is named. */
  async post(
    missionId: string,
    text: string,
    { conversationId, ...rest }: Partial<Pick<MessagePostPayload, 'mentions' | 'references'>> & { conversationId?: string } = {},
  ): Promise<Receipt> {
    const mission = await this.missionView(missionId)
    const payload: MessagePostPayload = { messageId: newId(), content: [{ type: 'text', text }], authority: false, ...rest }
    return this.submitIn(mission, 'message.post', payload, { conversationId: conversationId ?? missionConversation(mission.groupId) })
  }

  missionView(missionId: string): Promise<MissionStanding> {
    return this.#console.query('missions.view', { missionId })
  }

  approvalView(missionId: string): Promise<ApprovalStanding> {
    return this.#console.query('missions.approval', { missionId })
  }

  /** Any other procedure of the console, by its path. */
  query<T>(procedure: string, input?: object): Promise<T> {
    return this.#console.query(procedure, input)
  }

  /** The exact bytes of an approved Mission's receipt file, or undefined when there is none for this person. */
  async receipt(missionId: string): Promise<Uint8Array | undefined> {
    const path = `${this.#console.origin}/api/receipts/${encodeURIComponent(missionId)}`
    const response = await fetch(path, { headers: this.#console.credentials })
    if (response.status === 404) return undefined
    if (!response.ok) throw new HttpFault(response.status, 'the receipt')
    return new Uint8Array(await response.arrayBuffer())
  }

  upload(bytes: Uint8Array, mediaType: string): Promise<StoredContent> {
    return uploadContent(this.#console.origin, this.#console.credentials, { bytes, mediaType })
  }

  download(contentHash: string): Promise<Uint8Array | undefined> {
    return downloadContent(this.#console.origin, this.#console.credentials, contentHash)
  }

  async #decide(
    kind: 'mission.approve' | 'mission.request_changes',
    missionId: string,
    decided: Pick<Approval, 'decision' | 'comments' | 'conditions'>,
  ): Promise<Receipt> {
    const { mission, pending, acceptancePolicyVersion } = await this.approvalView(missionId)
    if (pending === undefined) throw new TypeError(`${missionId} has nothing to decide on`)
    const unsigned: Omit<Approval, 'signature'> = {
      approvalId: newId(),
      kind: 'mission_final',
      missionId,
      groupId: mission.groupId,
      missionRevision: pending.missionRevision,
      artifactHashes: [...pending.artifactHashes],
      acceptancePolicyVersion,
      approver: this.principal,
      occurredAt: timeNow(),
      ...decided,
    }
    const approval = await this.#identityFor(kind).signDocument(unsigned, 'occurredAt')
    return this.submitIn(mission, kind, { approval }, { expectedRevision: pending.missionRevision })
  }

  #identityFor(kind: CommandKind): Identity {
    const preferred = CONVERSATION_KINDS.has(kind) ? this.#identities.get('conversation') : undefined
    const identity = preferred ?? this.#identities.get('authority')
    if (identity === undefined) throw new TypeError(`${kind} takes an authority key`)
    return identity
  }
}
