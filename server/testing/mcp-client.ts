// MCP clients for tests: the SDK's own, each with the token of an Agent whose key the server holds.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { invariant } from '../../protocol/result.ts'
import type { AuthorityService } from '../service/service.ts'

type Service = Pick<AuthorityService, 'doors'>

export interface McpAgent { readonly agentId: string; readonly token: string; readonly tokenId: string }

/** A custodial Agent with a token of the MCP door. */
export async function mcpAgent({ doors }: Service, name: string, capabilities: readonly { id: string; version: string }[] = [{ id: 'release.report', version: '1.0.0' }]): Promise<McpAgent> {
  const adopted = await doors.custody.adopt({ name, capabilities, maxConcurrency: 4 })
  invariant(adopted.ok, adopted.ok ? '' : adopted.error.reason)
  return { agentId: adopted.value.agentId, ...(await mcpToken({ doors }, adopted.value.agentId)) }
}

export async function mcpToken({ doors }: Service, principalId: string, options: { readonly ttlSeconds?: number; readonly doors?: readonly ('mcp' | 'ioa')[] } = {}): Promise<Pick<McpAgent, 'token' | 'tokenId'>> {
  const issued = await doors.tokens.issue({ principalId, label: 'test', doors: options.doors ?? ['mcp'], ...(options.ttlSeconds !== undefined && { ttlSeconds: options.ttlSeconds }) })
  invariant(issued.ok, issued.ok ? '' : issued.error.reason)
  return { token: issued.value.token, tokenId: issued.value.record.tokenId }
}

/** A client of the official SDK with what tests ask of it. */
export class McpCaller {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport

  private constructor(client: Client, transport: StreamableHTTPClientTransport) {
    this.client = client
    this.transport = transport
  }

  static async connect(origin: string, token: string, path = '/mcp'): Promise<McpCaller> {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(new URL(path, origin), { requestInit: { headers: { authorization: `Bearer ${token}` } } })
    await client.connect(transport as Transport)
    // From now on the client holds results against the schemas that it has seen.
    await client.listTools()
    return new McpCaller(client, transport)
  }

  get sessionId(): string {
    invariant(this.transport.sessionId, 'the client is connected')
    return this.transport.sessionId
  }

  /** The result of a tool as it came. */
  async result(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return (await this.client.callTool({ name, arguments: args })) as CallToolResult
  }

  /** The one text of a result that is no error. */
  async text(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = await this.result(name, args)
    invariant(result.isError !== true, textOf(result))
    return textOf(result)
  }

  /** The value of a result that is no error. */
  async call<T = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}): Promise<T> {
    return JSON.parse(await this.text(name, args)) as T
  }

  /** Why a call was refused. */
  async refusal(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const result = await this.result(name, args)
    invariant(result.isError === true, `${name} was answered: ${textOf(result)}`)
    return textOf(result)
  }

  close(): Promise<void> {
    return this.client.close()
  }
}

function textOf({ content }: CallToolResult): string {
  const [item, ...others] = content
  invariant(item?.type === 'text' && others.length === 0, 'a result is one text')
  return item.text
}
