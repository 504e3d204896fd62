// An authority of a few lines for tests of the door: it checks handshakes, keeps Groups in memory and accepts Commands.
import { randomBytes, randomUUID } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '../../../../protocol/base64url.ts'
import { encodeCanonical } from '../../../../protocol/canonical-json.ts'
import { publicKeyOf } from '../../../../protocol/ed25519-sign.ts'
import { verifyStrict } from '../../../../protocol/ed25519-strict.ts'
import { reject } from '../../../../protocol/error-codes.ts'
import type { Command } from '../../../../protocol/generated/types.ts'
import { err, ok } from '../../../../protocol/result.ts'
import type { ParsedJson } from '../../../../protocol/strict-json.ts'
import type { AgentSession, AuthorityService, Challenge, Feeds, Sessions, SubmitOutcome } from '../../../service/service.ts'
import { FakeGroup } from './fake-group.ts'

export interface TestAgent {
  readonly agentId: string
  readonly keyId: string
  readonly seed: Uint8Array
}

export function testAgent(name: string): TestAgent {
  return { agentId: `urn:test:agent:${name}`, keyId: `urn:test:key:${name}`, seed: randomBytes(32) }
}

type Decide = (command: Command, group: FakeGroup) => Promise<SubmitOutcome> | SubmitOutcome

export class FakeService {
  readonly groups = new Map<string, FakeGroup>()
  /** Exact text of every Command that reached the authority. */
  readonly submitted: string[] = []
  readonly ended: AgentSession[] = []
  handshakes = 0
  sessionLifetimeMs = 3_600_000
  /** How a Command is answered; accepts it with one Event unless a test says otherwise. */
  decide: Decide = (command, group) => this.accept(command, group)
  readonly #agents = new Map<string, TestAgent>()
  readonly #challenges = new Map<string, Challenge & { clientNonce: string }>()
  readonly #epochs = new Map<string, number>()
  readonly #listeners = new Set<(agentId: string, sessionEpoch: number) => void>()

  register(agent: TestAgent): void {
    this.#agents.set(agent.agentId, agent)
  }

  group(groupId: string, ...members: TestAgent[]): FakeGroup {
    const group = new FakeGroup(groupId)
    for (const { agentId } of members) group.members.set(agentId, { visibilityStartSequence: 0 })
    this.groups.set(groupId, group)
    return group
  }

  accept(command: Command, group: FakeGroup): SubmitOutcome {
    const entry = group.append({ cause: { type: 'command', id: command.actionId } })
    return { ok: true, spaceId: group.groupId, sequence: entry.sequence, eventBytes: entry.bytes, isDuplicate: false }
  }

  /** What the door sees. Members that the door never touches are absent. */
  asService(): AuthorityService {
    const service: Pick<AuthorityService, 'sessions' | 'feeds' | 'cursors' | 'clock' | 'submitCommand'> & {
      reads: Pick<AuthorityService['reads'], 'groupFor'>
    } = {
      sessions: this.#sessions(),
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

  #sessions(): Sessions {
    const refused = err(reject('AUTH_INVALID_SIGNATURE', 'authentication failed'))
    const isCurrent = (session: AgentSession) => this.#epochs.get(session.agentId) === session.sessionEpoch
    return {
      challenge: async ({ agentId, keyId, clientNonce }) => {
        this.handshakes++
        if (this.#agents.get(agentId)?.keyId !== keyId) return refused
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
        if (!isSame || !message || !signed || !verifyStrict(publicKeyOf(agent.seed), message, signed)) return refused
        const sessionEpoch = (this.#epochs.get(agentId) ?? 0) + 1
        this.#epochs.set(agentId, sessionEpoch)
        for (const listener of this.#listeners) listener(agentId, sessionEpoch)
        const expiresAt = new Date(Date.now() + this.sessionLifetimeMs).toISOString()
        return ok({ agentId, keyId, sessionEpoch, expiresAt, token: encodeBase64url(randomBytes(32)) })
      },
      byToken: () => undefined,
      isCurrent,
      onReplaced: (listener) => {
        this.#listeners.add(listener)
        return () => void this.#listeners.delete(listener)
      },
      isOnline: () => false,
      ended: (session) => void this.ended.push(session),
    }
  }
}
