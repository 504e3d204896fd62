// What an Agent asks besides the protocol: which Groups it belongs to, and which Agents it could offer work to.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PresenceRecord } from '../../../protocol/generated/types.ts'
import type { Handler } from '../../http-messages.ts'
import { bearerToken, isMethod, sendJson, urlOf } from '../../http-messages.ts'
import type { AgentSession, AuthorityService } from '../../service/service.ts'

const maximumWaitSeconds = 25
/** Requests of one session that wait at the same time; an Agent needs one. */
const maximumWaits = 4

type Service = Pick<AuthorityService, 'sessions' | 'reads' | 'identities'>
type Reads = AuthorityService['reads']

/**
 * GET /api/groups: the Agent's Memberships and a revision of the set. With `after` equal to that revision the answer
 * waits up to `wait` seconds for a change; this is how an Agent learns that it was invited.
 */
export function createGroupsHandler({ sessions, reads }: Service): Handler {
  const waits = new Waits(sessions)
  return async (request, response) => {
    const session = authenticate(sessions, request, response)
    if (session === undefined) return
    const query = urlOf(request)!.searchParams
    const after = Number(query.get('after') ?? Number.NaN)
    const waitSeconds = Math.min(Number(query.get('wait') ?? 0), maximumWaitSeconds)
    const isWaiting = Number.isSafeInteger(after) && waitSeconds > 0
    const wait = isWaiting ? waits.begin(session, response) : undefined
    if (isWaiting && wait === undefined) {
      response.setHeader('retry-after', 1)
      return sendJson(response, 429, { error: `at most ${maximumWaits} requests of a session wait at once` })
    }
    const { revision, groups } = wait ? await reads.membershipsAfter(session.agentId, after, waitSeconds * 1000, wait) : await reads.memberships(session.agentId)
    // The session may have been replaced while the request waited.
    if (!sessions.isCurrent(session)) return sendJson(response, 401, { error: 'this session has ended' })
    sendJson(response, 200, { revision, groups: groups.map(groupView) })
  }
}

/** GET /api/agents: every Agent with its verified capabilities, for choosing Workers. */
export function createAgentsHandler({ sessions, identities }: Service): Handler {
  return (request, response) => {
    if (authenticate(sessions, request, response) === undefined) return
    const agents = identities.cards().flatMap(({ agentId, displayName, status, capabilities, cardVersion }) =>
      status === 'revoked' ? [] : [{ agentId, displayName, capabilities: capabilities.map(({ id, version }) => ({ id, version })), cardVersion, online: sessions.isOnline(agentId), ...presenceView(sessions.presenceOf(agentId)) }],
    )
    sendJson(response, 200, { agents })
  }
}

/** How busy an Agent says it is; nothing of what it works on, or for whom. */
const presenceView = (presence: PresenceRecord | undefined) => presence && { presence: { status: presence.status, availableSlots: presence.capacity.availableSlots } }

/** What waits: as long as the peer is there and its session goes on. */
class Waits {
  readonly #waiting = new Map<AgentSession, Set<AbortController>>()

  constructor(sessions: Service['sessions']) {
    sessions.onEnded((session) => {
      for (const wait of this.#waiting.get(session) ?? []) wait.abort()
    })
  }

  /** Aborts with the response or the session; undefined when too many wait already. */
  begin(session: AgentSession, response: ServerResponse): AbortSignal | undefined {
    const waiting = this.#waiting.get(session) ?? new Set()
    if (waiting.size >= maximumWaits) return undefined
    const wait = new AbortController()
    this.#waiting.set(session, waiting.add(wait))
    response.once('close', () => {
      wait.abort()
      waiting.delete(wait)
      if (waiting.size === 0) this.#waiting.delete(session)
    })
    return wait.signal
  }
}

function authenticate(sessions: Service['sessions'], request: IncomingMessage, response: ServerResponse): AgentSession | undefined {
  if (!isMethod(request, response, 'GET')) return undefined
  const token = bearerToken(request)
  const session = token === undefined ? undefined : sessions.byToken(token)
  if (session === undefined) sendJson(response, 401, { error: 'a current session token is needed' })
  return session
}

function groupView({ spaceId: groupId, missionId, role, state, membershipEpoch, visibilityStartSequence, head }: Awaited<ReturnType<Reads['memberships']>>['groups'][number]) {
  return { groupId, missionId, role, state, membershipEpoch, visibilityStartSequence, head }
}
