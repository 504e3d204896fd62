// The HTTP side of an authority, as an Agent with a session token uses it.
import { sha256Hash } from '../protocol/digest.ts'
import type { EventDocument, PresenceStatus, ProtocolError } from '../protocol/generated/types.ts'
import { err, ok } from '../protocol/result.ts'
import type { Receipt } from './refusal.ts'
import { HttpFault, IntegrityFault } from './refusal.ts'

/** One Membership of the caller. */
export interface GroupEntry {
  readonly groupId: string
  readonly missionId: string
  readonly role: string
  readonly state: string
  readonly membershipEpoch: number
  readonly visibilityStartSequence: number
  readonly head: number
}

export interface GroupList {
  readonly revision: number
  readonly groups: readonly GroupEntry[]
}

/** An Agent that can be offered work. */
export interface AgentEntry {
  readonly agentId: string
  readonly displayName: string
  readonly capabilities: readonly { readonly id: string; readonly version: string }[]
  readonly cardVersion: number
  readonly online: boolean
  /** What it said of itself in its last PING, while that is fresh; it promises nothing. */
  readonly presence?: { readonly status: PresenceStatus; readonly availableSlots: number }
}

export interface StoredContent {
  readonly contentHash: string
  readonly sizeBytes: number
  readonly uri: string
}

/** Who is asking: the session of an Agent or the console session of a person. */
export type Credentials = { readonly authorization: string } | { readonly cookie: string }

/** Origin of the HTTP side that belongs to a WebSocket address. */
export function httpOriginOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol === 'wss:' || protocol === 'https:' ? 'https' : 'http'}://${host}`
}

/** Memberships of the Agent; with `after` it waits up to `wait` seconds until they differ from that revision. */
export async function fetchGroups(
  origin: string,
  credentials: Credentials,
  query: { after?: number; wait?: number } = {},
  signal?: AbortSignal,
): Promise<GroupList> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const response = await fetch(`${origin}/api/groups?${search}`, { headers: credentials, ...(signal && { signal }) })
  return (await jsonOf(response, 'the list of Groups')) as GroupList
}

export async function fetchAgents(origin: string, credentials: Credentials): Promise<readonly AgentEntry[]> {
  const response = await fetch(`${origin}/api/agents`, { headers: credentials })
  return ((await jsonOf(response, 'the list of Agents')) as { agents: AgentEntry[] }).agents
}

/** Stores bytes under their hash; the same bytes again are the same content. */
export async function uploadContent(
  origin: string,
  credentials: Credentials,
  content: { bytes: Uint8Array; mediaType: string },
): Promise<StoredContent> {
  const headers = { ...credentials, 'content-type': content.mediaType }
  const response = await fetch(`${origin}/artifacts`, { method: 'POST', headers, body: content.bytes as BodyInit })
  return (await jsonOf(response, 'the artifact store')) as StoredContent
}

/** The bytes of an artifact, or undefined when it does not exist for the caller. Throws IntegrityFault when they have another hash. */
export async function downloadContent(
  origin: string,
  credentials: Credentials,
  contentHash: string,
): Promise<Uint8Array | undefined> {
  const response = await fetch(`${origin}/artifacts/${contentHash}`, { headers: credentials })
  if (response.status === 404) return undefined
  if (!response.ok) throw new HttpFault(response.status, 'the artifact store')
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (sha256Hash(bytes) !== contentHash) throw new IntegrityFault(contentHash)
  return bytes
}

/** Submits the exact bytes of a signed Command; the signature alone is the authority for it. */
export async function postCommand(origin: string, command: Uint8Array): Promise<Receipt> {
  const headers = { 'content-type': 'application/json', origin }
  const response = await fetch(`${origin}/api/commands`, { method: 'POST', headers, body: command as BodyInit })
  const answer = (await response.json().catch(() => ({}))) as { event?: EventDocument; error?: ProtocolError }
  if (answer.event !== undefined) return ok(answer.event)
  if (answer.error !== undefined) return err(answer.error)
  throw new HttpFault(response.status, 'the command door')
}

async function jsonOf(response: Response, what: string): Promise<unknown> {
  if (!response.ok) throw new HttpFault(response.status, what)
  return response.json()
}
