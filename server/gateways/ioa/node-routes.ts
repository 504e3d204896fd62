// Nodes: registration, listing, and who they are in systems elsewhere.
import { Buffer } from 'node:buffer'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { JsonObject } from '../../../protocol/strict-json.ts'
import { sendJson } from '../../http-messages.ts'
import type { IdentityBinding, NodeInfo, NodeRegistration, Nodes, SpaceRefusal } from '../../service/open-spaces/types.ts'
import { agentIdNamespace } from '../../service/open-spaces/types.ts'
import { parseMember } from './body.ts'
import type { Callers } from './callers.ts'
import type { Exchange, IoaService, OpenExchange, Route } from './exchange.ts'
import { authenticated, bodyOf, open } from './exchange.ts'
import type { Lists } from './json-list.ts'
import type { IoaLimits } from './limits.ts'
import { nodeObject } from './objects.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refusalOf, refused } from './refusal.ts'

interface Needs { readonly service: IoaService; readonly limits: IoaLimits; readonly lists: Lists; readonly callers: Callers }

const registrationFields = { name: 'string', description: 'string', meta: 'object', id: 'string', identities: 'objects' } as const
const bindingFields = { namespace: 'string', subject: 'string', claims: 'object' } as const

export function nodeRoutes({ service, limits, lists, callers }: Needs): readonly Route[] {
  const { nodes } = service.openSpaces

  async function enrol(exchange: OpenExchange): Promise<Refusal | void> {
    const body = await bodyOf(exchange, { ...registrationFields, access_key: 'string' }, limits)
    if (!body.ok) return body.error
    const key = await callers.accessKey(body.value.values.access_key, exchange.address)
    if (!key.ok) return key.error
    const registration = registrationOf(body.value.values)
    if (!registration.ok) return registration.error
    const registered = await nodes.register({ ...registration.value, accessKeyId: key.value.accessKeyId })
    if (!registered.ok) return refusalOf(registered.error)
    const { nodeId, principalId, name } = registered.value.node
    const issued = await service.doors.tokens.issue({ principalId, doors: ['ioa'], label: 'IOA registration' })
    if (!issued.ok) return refusal(409, issued.error.reason)
    sendJson(exchange.response, 201, { id: nodeId, name, token: issued.value.token })
  }

  async function register(exchange: Exchange): Promise<Refusal | void> {
    const body = await bodyOf(exchange, registrationFields, limits)
    if (!body.ok) return body.error
    const registration = registrationOf(body.value.values)
    if (!registration.ok) return registration.error
    const node = await registeredBy(nodes, exchange.caller.nodeId, registration.value)
    if (!node.ok) return node.error
    sendJson(exchange.response, 201, nodeObject(node.value))
  }

  async function show({ response, parameters }: Exchange): Promise<Refusal | void> {
    const node = await nodes.byId(parameters[0]!)
    if (node === undefined) return refusal(404, 'there is no such Node')
    sendJson(response, 200, nodeObject(node))
  }

  async function resolve({ response, query }: Exchange): Promise<Refusal | void> {
    return sendNode(response, await nodes.resolve(query.get('namespace') ?? '', query.get('subject') ?? ''))
  }

  async function bind(exchange: Exchange): Promise<Refusal | void> {
    const stranger = strangerTo(exchange)
    if (stranger !== undefined) return stranger
    const body = await bodyOf(exchange, bindingFields, limits)
    if (!body.ok) return body.error
    const binding = bindingOf(body.value.values)
    return notGivenHere(binding) ?? sendNode(exchange.response, await nodes.bind(exchange.caller.nodeId, binding))
  }

  async function unbind(exchange: Exchange): Promise<Refusal | void> {
    const { query, response, caller } = exchange
    const { namespace, subject } = bindingOf({ namespace: query.get('namespace') ?? '', subject: query.get('subject') ?? '' })
    return strangerTo(exchange) ?? notGivenHere({ namespace }) ?? sendNode(response, await nodes.unbind(caller.nodeId, namespace, subject))
  }

  return [
    open('POST /auth/register', enrol),
    authenticated('POST /nodes', register),
    authenticated('GET /nodes', (exchange) => lists.answer(exchange, async () => ok(nodePages(service, limits.pageSize)))),
    authenticated('GET /nodes/resolve', resolve),
    authenticated('GET /nodes/:', show),
    authenticated('PUT /nodes/:/identities', bind),
    authenticated('DELETE /nodes/:/identities', unbind),
  ]
}

/**
 * A token is one Node, so registering with it gives that Node: a client that holds nothing else goes on to act as what it was given.
 * The name is taken over where the Node is named by its id or a binding; a client that names none sends one of its own making. What
 * leads to another Node is 403.
 */
async function registeredBy(nodes: Nodes, ownId: string, { name, nodeId, ...change }: NodeRegistration): Promise<Result<NodeInfo, Refusal>> {
  if (name.trim() === '') return refused(422, 'a name is needed')
  if (nodeId !== undefined && !/^[0-9a-f]{32}$/i.test(nodeId) && nodeId !== ownId) return refused(422, 'the id of a Node is 32 hexadecimal digits')
  const bound = await Promise.all((change.identities ?? []).map(({ namespace, subject }) => nodes.resolve(namespace, subject)))
  const byId = nodeId === undefined ? undefined : await nodes.byId(nodeId)
  const named = new Set([...bound.flatMap((node) => (node.ok ? [node.value.nodeId] : [])), ...(byId ? [byId.nodeId] : [])])
  if ([...named].some((id) => id !== ownId)) return refused(403, 'this is another Node')
  const described = await nodes.describe(ownId, { ...change, ...(named.has(ownId) && { name }) })
  return described.ok ? described : err(refusalOf(described.error))
}

/** Nobody but a Node itself says who it is elsewhere. */
function strangerTo({ caller, parameters }: Exchange): Refusal | undefined {
  return caller.nodeId === parameters[0] ? undefined : refusal(403, 'only a Node itself may change its identities')
}

/** Whoever had an agent id by this door would speak, and be spoken to, as somebody of another door. */
function notGivenHere({ namespace }: Pick<IdentityBinding, 'namespace'>): Refusal | undefined {
  return namespace.trim() === agentIdNamespace ? refusal(403, 'agent ids of the Inter-Agent Protocol are given and taken by its own door') : undefined
}

function sendNode(response: Exchange['response'], node: Result<NodeInfo, SpaceRefusal>): Refusal | undefined {
  if (!node.ok) return refusalOf(node.error)
  sendJson(response, 200, nodeObject(node.value))
  return undefined
}

async function* nodePages({ openSpaces }: IoaService, pageSize: number) {
  let after: string | undefined
  for (;;) {
    const page = await openSpaces.nodes.list({ ...(after !== undefined && { after }), limit: pageSize })
    // A short page may have been cut by its bytes.
    const last = page.at(-1)
    if (last === undefined) return
    yield page.map((node) => Buffer.from(JSON.stringify(nodeObject(node))))
    after = last.nodeId
  }
}

interface RegistrationBody {
  readonly name?: string
  readonly description?: string
  readonly meta?: JsonObject
  readonly id?: string
  readonly identities?: readonly JsonObject[]
}

function registrationOf({ name = '', description, meta, id, identities = [] }: RegistrationBody): Result<NodeRegistration, Refusal> {
  const bindings: IdentityBinding[] = []
  for (const identity of identities) {
    const values = parseMember(identity, bindingFields)
    if (!values.ok) return err(values.error)
    const binding = bindingOf(values.value)
    const foreign = notGivenHere(binding)
    if (foreign !== undefined) return err(foreign)
    bindings.push(binding)
  }
  return ok({
    name,
    ...(description !== undefined && { description }),
    ...(meta !== undefined && { meta }),
    // Clients of the later revision send an empty id where they have none.
    ...(id !== undefined && id !== '' && { nodeId: id }),
    ...(bindings.length > 0 && { identities: bindings }),
  })
}

const bindingOf = ({ namespace = '', subject = '', claims }: Partial<IdentityBinding>): IdentityBinding => ({ namespace, subject, ...(claims && { claims }) })
