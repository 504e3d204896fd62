// Open Spaces as MCP resources: each one that the caller's Node has entered is `ioa://spaces/<id>`.
import type { ListResourcesResult, ReadResourceResult, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { newest, nodeOf, spaceText } from './space-text.ts'
import type { McpService } from './tool.ts'
import { isPrintable } from './tool.ts'

const prefix = 'ioa://spaces/'
const pageSize = 100
/** The newest Messages that reading a resource gives. */
const messagesRead = 50
/** The code that MCP gives to a resource that is not there. */
const RESOURCE_NOT_FOUND = -32002

const uriOfSpace = (spaceId: string): string => prefix + encodeURIComponent(spaceId)

export const resourceTemplates: readonly ResourceTemplate[] = [
  { uriTemplate: `${prefix}{space_id}`, name: 'space', title: 'Open Space', description: 'An open Space that you have entered, with its newest Messages. Subscribe to hear when it grows.', mimeType: 'application/json' },
]

/** By name; the cursor is the name of the last one. */
export async function listResources(service: McpService, principalId: string, cursor?: string): Promise<ListResourcesResult> {
  const node = await nodeOf(service, principalId)
  const found = await service.openSpaces.entered(node.nodeId, { limit: pageSize + 1, ...(cursor !== undefined && { after: readCursor(cursor) }) })
  const page = found.slice(0, pageSize)
  const resources = page.map(({ spaceId, name, tags }) => ({
    uri: uriOfSpace(spaceId),
    name,
    title: name,
    description: `The open Space “${name}”${tags.length === 0 ? '' : ` (${tags.join(', ')})`}`,
    mimeType: 'application/json',
  }))
  return { resources, ...(found.length > pageSize && { nextCursor: Buffer.from(page.at(-1)!.name).toString('base64url') }) }
}

function readCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString()
  if (!isPrintable(name) || Buffer.from(name).toString('base64url') !== cursor) throw new McpError(ErrorCode.InvalidParams, 'The cursor is none of ours')
  return name
}

/** The Space with its newest Messages, as one JSON text. */
export async function readResource(service: McpService, principalId: string, uri: string): Promise<ReadResourceResult> {
  const spaceId = await spaceOfUri(service, principalId, uri)
  const [space, messages] = await Promise.all([service.openSpaces.find(spaceId), newest(service.openSpaces, spaceId, { mode: 'all' }, messagesRead)])
  if (space === undefined || !messages.ok) throw notFound(uri)
  return { contents: [{ uri, mimeType: 'application/json', text: spaceText(space, 'messages', messages.value) }] }
}

/** The Space that a URI names; a fault of the request where it is none or the caller has not entered it. */
export async function spaceOfUri(service: McpService, principalId: string, uri: string): Promise<string> {
  const spaceId = uri.startsWith(prefix) ? decoded(uri.slice(prefix.length)) : undefined
  const { nodeId } = await nodeOf(service, principalId)
  const space = spaceId === undefined ? undefined : await service.openSpaces.overview(nodeId, spaceId, 1)
  if (space?.isMember !== true) throw notFound(uri)
  return space.spaceId
}

function decoded(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text)
    return isPrintable(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}

const notFound = (uri: string) => new McpError(RESOURCE_NOT_FOUND, 'There is no such resource among the Spaces that you have entered', { uri })
