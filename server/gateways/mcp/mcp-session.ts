// One session of one MCP client: the SDK's server and transport, what is being answered, and what is watched.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, RequestId } from '@modelcontextprotocol/sdk/types.js'
import {
  CallToolRequestSchema, CancelledNotificationSchema, ErrorCode, ListResourcesRequestSchema, ListResourceTemplatesRequestSchema, ListToolsRequestSchema, McpError, ReadResourceRequestSchema,
  SubscribeRequestSchema, UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import packageManifest from '../../../package.json' with { type: 'json' }
import type { Log } from '../../log.ts'
import type { UploadQuota } from '../../service/upload-quota.ts'
import { memberOf, readExact } from './exact-json.ts'
import type { ExactJson } from './exact-json.ts'
import type { HttpFault } from './http-fault.ts'
import { refusals } from './http-fault.ts'
import { instructions } from './instructions.ts'
import { listedTools } from './listed-tools.ts'
import type { McpLimits } from './limits.ts'
import type { ReceivedBody } from './received-body.ts'
import { listResources, readResource, resourceTemplates, spaceOfUri } from './resources.ts'
import { Subscriptions } from './subscriptions.ts'
import type { McpService, Tool, ToolCall } from './tool.ts'
import { refuse } from './tool.ts'
import { TOOLS } from './tools/all.ts'

export interface SessionOwner { readonly principalId: string; readonly tokenId: string }

interface SessionNeeds {
  readonly service: McpService
  readonly uploads: UploadQuota
  readonly limits: McpLimits
  readonly log: Log
  readonly nowMs: () => number
  /** The client has initialized it: it can be found by its id from now on. */
  onOpened(session: McpSession): void
  onClosed(session: McpSession): void
}

interface RunningRequest { readonly abort: AbortController; readonly body: ReceivedBody; readonly response: ServerResponse }

const toolsByName: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]))
/** One for all sessions, each of which would make its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()
const keyOf = (id: RequestId): string => JSON.stringify(id)

export class McpSession {
  readonly owner: SessionOwner
  readonly #needs: SessionNeeds
  readonly #server: Server
  readonly #transport: StreamableHTTPServerTransport
  readonly #subscriptions: Subscriptions
  /** By the JSON text of their JSON-RPC ids. */
  readonly #running = new Map<string, RunningRequest>()
  #openResponses = 0
  #stream: ServerResponse | undefined
  #usedAtMs: number

  constructor(owner: SessionOwner, needs: SessionNeeds) {
    this.owner = owner
    this.#needs = needs
    this.#usedAtMs = needs.nowMs()
    this.#subscriptions = new Subscriptions(needs.service.openSpaces, { everyMs: needs.limits.notifyEveryMs, notify: (uri) => this.#notify(uri), onFault: (fault) => needs.log.error({ err: fault }, 'a resource is no longer watched') })
    this.#transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(32).toString('hex'),
      enableJsonResponse: true,
      onsessioninitialized: () => needs.onOpened(this),
    })
    this.#server = createServer()
    this.#server.onclose = () => this.#closed()
    this.#server.onerror = (error) => needs.log.debug({ err: error }, 'an MCP client erred')
    this.#answerRequests()
  }

  /** Undefined until the client has initialized it. */
  get sessionId(): string | undefined {
    return this.#transport.sessionId
  }

  /** Whether something that it was asked is not answered yet. */
  get isAnswering(): boolean {
    return this.#running.size > 0
  }

  /** Whether it has a response under way, the stream included. */
  get isConnected(): boolean {
    return this.#openResponses > 0
  }

  /** When a request or a stream ended last. */
  get usedAtMs(): number {
    return this.#usedAtMs
  }

  async open(): Promise<void> {
    // The SDK's class declares its handlers as optional in a way that `exactOptionalPropertyTypes` does not take.
    await this.#server.connect(this.#transport as Transport)
  }

  /** Answers one HTTP request of this session's client; `body` is that of a POST. */
  async handle(request: IncomingMessage, response: ServerResponse, body?: ReceivedBody): Promise<void> {
    const fault = body && this.#begin(response, body)
    if (fault !== undefined) return fault.send(response)
    this.#openResponses++
    response.once('close', () => {
      this.#openResponses--
      this.#usedAtMs = this.#needs.nowMs()
    })
    if (request.method === 'GET') this.#replaceStream(response)
    await this.#transport.handleRequest(request, response, body?.value)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  /** Notes the requests of a body as running until their response is closed. */
  #begin(response: ServerResponse, body: ReceivedBody): HttpFault | undefined {
    const keys = body.requestIds.map(keyOf)
    if (keys.some((key, index) => this.#running.has(key) || keys.indexOf(key) !== index)) return refusals.badRequest('A request with this id is being answered already')
    if (this.#running.size + keys.length > this.#needs.limits.concurrentRequests) return refusals.tooMany('Too many requests of this session are being answered')
    for (const key of keys) this.#running.set(key, { abort: new AbortController(), body, response })
    response.once('close', () => {
      for (const key of keys) {
        this.#running.get(key)?.abort.abort()
        this.#running.delete(key)
      }
    })
    return undefined
  }

  /** The newest stream is the one that has a reader: what came before may be a connection that died unnoticed. */
  #replaceStream(response: ServerResponse): void {
    this.#transport.closeStandaloneSSEStream()
    this.#stream = response
    response.once('close', this.#needs.service.doors.tokens.connected(this.owner.principalId))
    response.on('drain', () => this.#subscriptions.flush())
    response.once('close', () => {
      if (this.#stream === response) this.#stream = undefined
    })
    // Once the SDK has written the head of the stream.
    setImmediate(() => this.#subscriptions.repeat())
  }

  /** False where nobody reads, so that it has to be said later. */
  #notify(uri: string): boolean {
    if (this.#stream === undefined || this.#stream.writableNeedDrain) return false
    void this.#server.sendResourceUpdated({ uri }).catch((fault: unknown) => this.#needs.log.debug({ err: fault }, 'a notification was not sent'))
    return true
  }

  #closed(): void {
    this.#subscriptions.close()
    this.#stream?.destroy()
    // The SDK leaves the responses of what is still running open.
    for (const { abort, response } of [...this.#running.values()]) {
      abort.abort()
      if (response.headersSent) response.destroy()
      else refusals.noSession().send(response)
    }
    this.#needs.onClosed(this)
  }

  #answerRequests(): void {
    const server = this.#server
    const { service, limits } = this.#needs
    const { principalId } = this.owner
    // The SDK would leave a cancelled request without an answer, and its HTTP response open for good.
    server.setNotificationHandler(CancelledNotificationSchema, ({ params: { requestId } }) => {
      if (requestId !== undefined) this.#running.get(keyOf(requestId))?.abort.abort()
    })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...listedTools] }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestId }) => this.#callTool(params.name, params.arguments ?? {}, requestId))
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => this.#guard(listResources(service, principalId, params?.cursor)))
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }))
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => this.#guard(readResource(service, principalId, params.uri)))
    server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
      if (this.#subscriptions.count >= limits.subscriptions && !this.#subscriptions.has(uri)) throw new McpError(ErrorCode.InvalidRequest, `A session watches ${limits.subscriptions} resources at most`)
      await this.#guard(spaceOfUri(service, principalId, uri).then((spaceId) => this.#subscriptions.add(uri, spaceId)))
      return {}
    })
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
      this.#subscriptions.remove(uri)
      return {}
    })
  }

  async #callTool(name: string, args: Record<string, unknown>, requestId: RequestId): Promise<CallToolResult> {
    const tool = toolsByName.get(name)
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool named ${JSON.stringify(name)}`)
    try {
      return await tool.run(this.#toolCall(requestId), args)
    } catch (fault) {
      return refuse(`The server failed (${this.#noteFault(fault)}). What you asked for may or may not have happened: read before you try again.`)
    }
  }

  /** The SDK would tell the client the words of any fault. */
  async #guard<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (fault) {
      if (fault instanceof McpError) throw fault
      throw new McpError(ErrorCode.InternalError, `The server failed (${this.#noteFault(fault)})`)
    }
  }

  /** The id under which the log has it. */
  #noteFault(fault: unknown): string {
    const correlationId = randomBytes(8).toString('hex')
    this.#needs.log.error({ err: fault, correlationId }, 'an MCP request failed')
    return correlationId
  }

  #toolCall(requestId: RequestId): ToolCall {
    const running = this.#running.get(keyOf(requestId))
    return {
      service: this.#needs.service,
      uploads: this.#needs.uploads,
      principalId: this.owner.principalId,
      signal: running?.abort.signal ?? AbortSignal.abort(),
      exact: (argument) => memberOf(memberOf(memberOf(running && requestIn(running.body.text, requestId), 'params'), 'arguments'), argument),
      resourcesChanged: () => {
        void this.#server.sendResourceListChanged().catch((fault: unknown) => this.#needs.log.debug({ err: fault }, 'a notification was not sent'))
      },
    }
  }
}

function createServer(): Server {
  const info = { name: 'countersign', title: 'Countersign', version: packageManifest.version }
  return new Server(info, { capabilities: { tools: {}, resources: { subscribe: true, listChanged: true } }, instructions, jsonSchemaValidator })
}

/** The request of this id in a body, which may be a batch. */
function requestIn(text: string, requestId: RequestId): ExactJson | undefined {
  const tree = readExact(text)
  if (!Array.isArray(tree)) return tree
  return (tree as readonly ExactJson[]).find((item) => {
    const id = memberOf(item, 'id')
    return typeof id === 'string' && JSON.parse(id) === requestId
  })
}
