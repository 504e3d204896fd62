// An authority of a few lines for tests of the door: it checks handshakes, keeps Groups in memory and accepts Commands.
import { randomBytes, randomUUID } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '../../../../protocol/base64url.ts'
import { canonicalText, encodeCanonical } from '../../../../protocol/canonical-json.ts'
import { publicKeyOf } from '../../../../protocol/ed25519-sign.ts'
import { verifyStrict } from '../../../../protocol/ed25519-strict.ts'
import type { ErrorCode } from '../../../../protocol/error-codes.ts'
import { reject } from '../../../../protocol/error-codes.ts'
import type { Command } from '../../../../protocol/generated/types.ts'
import { PRIMARY_EVENT_OF } from '../../../../protocol/kinds.ts'
import { err, ok } from '../../../../protocol/result.ts'
import type { ParsedJson } from '../../../../protocol/strict-json.ts'
import type { AgentSession, AuthorityService, Challenge, Feeds, SessionEnd, Sessions, SubmitOutcome } from '../../../service/service.ts'
import { FakeGroup } from './fake-group.ts'

export interface TestAgent {
  readonly agentId: string
  readonly keyId: string
  readonly seed: Uint8Array
}

export function testAgent(name: string): TestAgent {
  return { agentId: `urn:test:agent:${name}`, keyId: `urn:test:key:${name}`, seed: randomBytes(32) }
}

const refused = (code: ErrorCode): SubmitOutcome => ({ ok: false, rejection: reject(code, 'refused') })

type Decide = (command: Command, group: FakeGroup) => Promise<SubmitOutcome> | SubmitOutcome

export class FakeService {
  readonly groups = new Map<string, FakeGroup>()
  /** Exact text of every Command that reached the authority. */
  readonly submitted: string[] = []
  readonly ended: AgentSession[] = []
  handshakes = 0
  /** Of the Memberships, for those who watch them. */
  revision = 1
  sessionLifetimeMs = 3_600_000
  /** How a Command is answered; accepts it with one Event unless a test says otherwise. */
  decide: Decide = (command, group) => this.accept(command, group)
  /** Awaited before the list of Groups is given. */
  beforeGroupList: () => Promise<void> = async () => undefined
  readonly #agents = new Map<string, TestAgent>()
  readonly #receipts = new Map<string, { content: string; outcome: SubmitOutcome & { ok: true } }>()
  readonly #challenges = new Map<string, Challenge & { clientNonce: string }>()
  readonly #epochs = new Map<string, number>()
  readonly #sessions = new Map<string, AgentSession>()
  readonly #watching = new Set<() => void>()
  readonly #listeners = new Set<Parameters<Sessions['onEnded']>[0]>()

  register(agent: TestAgent): void {
    this.#agents.set(agent.agentId, agent)
  }

  group(groupId: string, ...members: TestAgent[]): FakeGroup {
    const group = new FakeGroup(groupId)
    for (const { agentId } of members) group.members.set(agentId, { visibilityStartSequence: 0 })
    this.groups.set(groupId, group)
    this.membershipsChanged()
    return group
  }

  /** Wakes everybody who watches Memberships. */
  membershipsChanged(): void {
    this.revision++
    for (const wake of this.#watching) wake()
    this.#watching.clear()
  }

  /** Resolves when Memberships change, or when nobody waits any more. */
  nextRevision(waiting: { once(event: 'close', listener: () => void): unknown }): Promise<void> {
    return new Promise((resolve) => {
      this.#watching.add(resolve)
      waiting.once('close', resolve)
    })
  }

  /** The Agent whose current session has this token. */
  agentOf(token: string): string | undefined {
    const session = this.#sessions.get(token)
    return session !== undefined && this.#isCurrent(session) ? session.agentId : undefined
  }

  groupList(agentId: string): object[] {
    return [...this.groups.values()].flatMap((group) => {
      const member = group.members.get(agentId)
      if (member === undefined) return []
      const { groupId, head } = group
      return [{ groupId, head, missionId: 'urn:test:mission', role: 'worker', state: 'active', membershipEpoch: 1, ...member }]
    })
  }

  accept(command: Command, group: FakeGroup): SubmitOutcome {
    // A test of the door may send less than a whole Command.
    const { actor, actionId, kind = 'message.post' }: Partial<Command> & Pick<Command, 'actionId'> = command
    const event = PRIMARY_EVENT_OF[kind as keyof typeof PRIMARY_EVENT_OF]
    const entry = group.append({ kind: event, cause: { type: 'command', id: actionId }, ...(actor && { actor }) })
    return { ok: true, spaceId: group.groupId, sequence: entry.sequence, eventBytes: entry.bytes, isDuplicate: false }
  }

  /** Decides as an authority must: receipts first, then the fences. */
  decideStrictly(command: Command, group: FakeGroup): SubmitOutcome {
    const key = `${command.actor.id} ${command.actionId}`
    const content = canonicalText(command)
    const receipt = this.#receipts.get(key)
    if (receipt !== undefined) {
      if (receipt.content !== content) return refused('ACTION_ID_COLLISION')
      return { ...receipt.outcome, isDuplicate: true }
    }
    const member = group.members.get(command.actor.id)
    if (member === undefined) return refused('GROUP_NOT_FOUND')
    if (command.sessionEpoch !== this.#epochs.get(command.actor.id)) return refused('AUTH_STALE_SESSION')
    if (command.membershipEpoch !== (member.membershipEpoch ?? 1)) return refused('MEMBERSHIP_STALE')
    const outcome = this.accept(command, group)
    if (outcome.ok) this.#receipts.set(key, { content, outcome })
    return outcome
  }

  /** What the door sees. Members that the door never touches are absent. */
  asService(): AuthorityService {
    const service: Pick<AuthorityService, 'sessions' | 'feeds' | 'cursors' | 'clock' | 'submitCommand'> & {
      reads: Pick<AuthorityService['reads'], 'groupFor'>
    } = {
      sessions: this.#sessionsPort(),
      feeds: this.#feeds(),
      clock: { now: () => new Date().toISOString(), nowMs: () => Date.now() },
      reads: { groupFor: async (principalId, groupId) => this.#groupFor(principalId, groupId) },
      cursors: {
        acknowledge: async (agentId, groupId, sequence) => {
          const group = this.groups.get(groupId)
          if (group?.members.has(agentId) !== true) return err(reject('GROUP_NOT_FOUND', 'no such Group'))
          if (sequence > group.head) return err(reject('INVALID_COMMAND', 'above the head'))
          group.acknowledged.set(agentId, sequence)
          return ok(undefined)
        },
      },
      submitCommand: async (command) => this.#submit(command as ParsedJson),
    }
    return service as AuthorityService
  }

  async #submit({ value, text }: ParsedJson): Promise<SubmitOutcome> {
    this.submitted.push(text)
    const command = value as unknown as Command
    const group = this.groups.get(command.groupId ?? '')
    if (group === undefined) return { ok: false, rejection: reject('GROUP_NOT_FOUND', 'no such Group') }
    return this.decide(command, group)
  }

  #groupFor(principalId: string, groupId: string) {
    const group = this.groups.get(groupId)
    const membership = group?.members.get(principalId)
    if (group === undefined || membership === undefined) return undefined
    return { state: { sequence: group.head }, membership } as unknown as Awaited<
      ReturnType<AuthorityService['reads']['groupFor']>
    >
  }

  #feeds(): Feeds {
    return {
      open: async (principalId, groupId, after) => {
        const feed = this.groups.get(groupId)?.open(principalId, after)
        return feed === undefined ? err(reject('GROUP_NOT_FOUND', 'no such Group')) : ok(feed)
      },
      onGrowth: () => () => undefined,
    }
  }

  #isCurrent({ agentId, sessionEpoch }: AgentSession): boolean {
    return this.#epochs.get(agentId) === sessionEpoch
  }

  #end(session: AgentSession, why: SessionEnd): void {
    if (this.#sessions.delete(session.token)) for (const listener of this.#listeners) listener(session, why)
  }

  #sessionsPort(): Sessions {
    const unproven = err(reject('AUTH_INVALID_SIGNATURE', 'authentication failed'))
    return {
      challenge: async ({ agentId, keyId, clientNonce }) => {
        this.handshakes++
        if (this.#agents.get(agentId)?.keyId !== keyId) return unproven
        const challengeId = randomUUID()
        const serverNonce = encodeBase64url(randomBytes(32))
        const challenge = encodeBase64url(encodeCanonical({ agentId, challengeId, clientNonce, keyId, serverNonce }))
        const made = { challengeId, serverNonce, challenge, expiresAt: new Date().toISOString() }
        this.#challenges.set(challengeId, { ...made, clientNonce })
        return ok(made)
      },
      accept: async ({ challengeId, agentId, keyId, clientNonce, serverNonce, signature }) => {
        const made = this.#challenges.get(challengeId)
        this.#challenges.delete(challengeId)
        const agent = this.#agents.get(agentId)
        const isSame = made?.clientNonce === clientNonce && made.serverNonce === serverNonce && agent?.keyId === keyId
        const [message, signed] = [decodeBase64url(made?.challenge ?? ''), decodeBase64url(signature)]
        if (!isSame || !message || !signed || !verifyStrict(publicKeyOf(agent.seed), message, signed)) return unproven
        const sessionEpoch = (this.#epochs.get(agentId) ?? 0) + 1
        this.#epochs.set(agentId, sessionEpoch)
        for (const session of this.#sessions.values()) if (session.agentId === agentId) this.#end(session, 'replaced')
        const expiresAt = new Date(Date.now() + this.sessionLifetimeMs).toISOString()
        const session = { agentId, keyId, sessionEpoch, expiresAt, token: encodeBase64url(randomBytes(32)) }
        this.#sessions.set(session.token, session)
        setTimeout(() => this.#end(session, 'expired'), this.sessionLifetimeMs).unref()
        return ok(session)
      },
      byToken: () => undefined,
      isCurrent: (session) => this.#isCurrent(session),
      endOf: (session) => (this.#isCurrent(session) ? undefined : 'replaced'),
      onEnded: (listener) => {
        this.#listeners.add(listener)
        return () => void this.#listeners.delete(listener)
      },
      isOnline: () => false,
      lastSeenAt: () => undefined,
      notePresence: ({ agentId }, presence) => (presence.agentId === agentId ? undefined : reject('AUTH_FORBIDDEN', 'another Agent')),
      presenceOf: () => undefined,
      ended: (session) => void this.ended.push(session),
    }
  }
}
