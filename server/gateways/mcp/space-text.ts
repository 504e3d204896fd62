// A Space and its Messages as indented JSON, with every number as it was sent.
import { invariant } from '../../../protocol/result.ts'
import type { NodeInfo, OpenSpaces, Refusable, SpaceInfo, SpaceMember, SpaceMessage, SpaceQuery } from '../../service/open-spaces/types.ts'
import { indentExact, readExact } from './exact-json.ts'
import type { McpService } from './tool.ts'

/** The caller's Node, made by its first call. */
export async function nodeOf({ openSpaces }: McpService, principalId: string): Promise<NodeInfo> {
  const node = await openSpaces.nodes.ofPrincipal(principalId)
  invariant(node, 'a token belongs to a Principal')
  return node
}

/** A result about a Space ends with the Message that brings it to so many bytes. */
export const maximumResultBytes = 1024 * 1024

/** The newest Messages: as many as are asked for, or half or a quarter of them and so on where they are too long together. */
export async function newest(openSpaces: Pick<OpenSpaces, 'read'>, spaceId: string, query: SpaceQuery, limit: number): Refusable<readonly SpaceMessage[]> {
  const found = await openSpaces.read(spaceId, query, { limit, maximumBytes: maximumResultBytes })
  if (!found.ok || limit === 1 || found.value.reduce((sum, { bytes }) => sum + bytes.length, 0) < maximumResultBytes) return found
  return newest(openSpaces, spaceId, query, Math.floor(limit / 2))
}

/** IOA's space info with one more member that lists Messages. */
export function spaceText(space: SpaceInfo, member: 'start_messages' | 'messages', messages: readonly SpaceMessage[]): string {
  const info = { id: space.spaceId, name: space.name, ...(space.tags.length > 0 && { tags: space.tags }), nodes: space.members.map(memberJson), message_count: space.messageCount }
  return indentExact(readExact(`${JSON.stringify(info).slice(0, -1)},${JSON.stringify(member)}:${listText(messages)}}`))
}

/** A Node as a member: the description is the one that it declared here. */
function memberJson({ node: { nodeId, name, meta, identities }, description }: SpaceMember) {
  return { id: nodeId, name, ...(description !== '' && { description }), meta, ...(identities.length > 0 && { identities }) }
}

export const messagesText = (messages: readonly SpaceMessage[]): string => indentExact(readExact(listText(messages)))
export const messageText = (message: SpaceMessage): string => indentExact(readExact(textOf(message)))

const listText = (messages: readonly SpaceMessage[]): string => `[${messages.map(textOf).join(',')}]`
const textOf = ({ bytes }: SpaceMessage): string => new TextDecoder().decode(bytes)
