// Records of an Inter-Agent Protocol negotiation, as the router writes them into a Space: `content_type` is `iap/` and the record's name.
// Pure reading; a member that is not there or not what it should be is left out.
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/strict-json.ts'
import { textIn } from './read-pattern.ts'

export interface Proposal {
  readonly type: 'proposal'
  readonly description: string
  readonly capability?: string
  readonly maxCost?: number
  /** Milliseconds. */
  readonly maxLatency?: number
  readonly priority?: number
}

export interface Bid {
  readonly type: 'bid'
  readonly bidderId?: string
  readonly cost?: number
  /** Milliseconds. */
  readonly latency?: number
  /** From 0 to 1, as the bidder claims it. */
  readonly confidence?: number
  readonly queueDepth?: number
  readonly notes?: string
  /** Why it cannot be chosen. */
  readonly ineligible?: string
}

export interface Assignment {
  readonly type: 'assignment'
  readonly agentId?: string
  readonly acceptBy?: string
  readonly deadline?: string
  /** By which rule the bid was chosen. */
  readonly rule?: string
  /** The bids that the rule chose from, and the one that it chose. */
  readonly candidates: readonly Bid[]
  readonly winner?: Bid
  /** Several bids were equally good and lots were drawn. */
  readonly isTied: boolean
  /** Bidders that were away or had no slot free. */
  readonly passedOver: readonly string[]
}

export interface Outcome {
  readonly type: 'result'
  readonly isCompleted: boolean
  /** Why it failed. */
  readonly reason?: string
  /** Why it was kept as evidence and not applied. */
  readonly refused?: string
  readonly latency?: number
  readonly isCached: boolean
  readonly result?: JsonValue
}

export interface ContextTransfer { readonly type: 'context'; readonly from?: string; readonly to?: string; readonly contextType?: string; readonly compression?: string; readonly size?: number; readonly sha256?: string }

/** A record that needs no more than its name and a few facts. */
export interface Step { readonly type: 'step'; readonly name: string; readonly agentId?: string; readonly until?: string; readonly reason?: string }

export type NegotiationRecord = Proposal | Bid | Assignment | Outcome | ContextTransfer | Step

const PREFIX = 'iap/'

/** Undefined for everything that is no record of a negotiation. */
export function readNegotiation(content: JsonObject, contentType: string | undefined): NegotiationRecord | undefined {
  if (!contentType?.startsWith(PREFIX)) return undefined
  const name = contentType.slice(PREFIX.length)
  return (READERS.get(name) ?? readStep(name))(content)
}

const READERS: ReadonlyMap<string, (content: JsonObject) => NegotiationRecord> = new Map<string, (content: JsonObject) => NegotiationRecord>([
  ['task_proposal', readProposal],
  ['task_bid', readPlacedBid],
  ['task_assignment', readAssignment],
  ['task_result', readOutcome],
  ['context_transfer', readContext],
])

function readProposal(content: JsonObject): Proposal {
  const proposal = objectIn(content, 'proposal')
  return {
    type: 'proposal',
    description: textIn(proposal, 'description') ?? 'A task without a description',
    ...given('capability', textIn(proposal, 'requiredCapability')),
    ...given('maxCost', numberIn(proposal, 'maxCost')),
    ...given('maxLatency', numberIn(proposal, 'maxLatency')),
    ...given('priority', numberIn(proposal, 'priority')),
  }
}

const INELIGIBLE: ReadonlyMap<string, string> = new Map([['over_max_cost', 'over the cost limit'], ['over_max_latency', 'over the time limit']])

function readPlacedBid(content: JsonObject): Bid {
  const ineligible = textIn(content, 'ineligible')
  return { ...readBid(objectIn(content, 'bid')), ...given('ineligible', ineligible && (INELIGIBLE.get(ineligible) ?? ineligible)) }
}

/** A bid, or a candidate of a selection, which names the bidder otherwise. */
function readBid(bid: JsonObject): Bid {
  return {
    type: 'bid',
    ...given('bidderId', textIn(bid, 'bidderId') ?? textIn(bid, 'agentId')),
    ...given('cost', numberIn(bid, 'estimatedCost')),
    ...given('latency', numberIn(bid, 'estimatedLatency')),
    ...given('confidence', numberIn(bid, 'confidence')),
    ...given('queueDepth', numberIn(bid, 'queueDepth')),
    ...given('notes', textIn(bid, 'notes')),
  }
}

function readAssignment(content: JsonObject): Assignment {
  const selection = objectIn(content, 'selection')
  const listed = objectsIn(selection, 'candidates')
  const winner = listed.find(({ bid }) => bid === selection['winner'])
  return {
    type: 'assignment',
    candidates: listed.map(readBid),
    isTied: Array.isArray(selection['tied']),
    passedOver: objectsIn(selection, 'passedOver').flatMap((passed) => textIn(passed, 'agentId') ?? []),
    ...given('agentId', textIn(content, 'agentId')),
    ...given('acceptBy', textIn(content, 'acceptBy')),
    ...given('deadline', textIn(content, 'deadline')),
    ...given('rule', textIn(selection, 'rule')),
    ...given('winner', winner && readBid(winner)),
  }
}

function readOutcome(content: JsonObject): Outcome {
  const result = objectIn(content, 'result')
  return {
    type: 'result',
    isCompleted: result['status'] === 'completed',
    isCached: content['isCached'] === true,
    ...given('reason', textIn(objectIn(result, 'error'), 'message')),
    ...given('refused', textIn(content, 'refused')),
    ...given('latency', numberIn(content, 'latencyMs')),
    ...given('result', result['result']),
  }
}

function readContext(content: JsonObject): ContextTransfer {
  return {
    type: 'context',
    ...given('from', textIn(content, 'fromAgent')),
    ...given('to', textIn(content, 'toAgent')),
    ...given('contextType', textIn(content, 'contextType')),
    ...given('compression', textIn(content, 'compression')),
    ...given('size', numberIn(content, 'size')),
    ...given('sha256', textIn(content, 'sha256')),
  }
}

const readStep = (name: string) => (content: JsonObject): Step => ({
  type: 'step',
  name: name.replaceAll('_', ' '),
  ...given('agentId', textIn(content, 'agentId') ?? textIn(content, 'by')),
  ...given('until', ['closesAt', 'timeoutAt', 'graceUntil'].map((member) => textIn(content, member)).find((time) => time !== undefined)),
  ...given('reason', [textIn(content, 'code'), textIn(content, 'cause'), textIn(content, 'reason')].filter((text) => text !== undefined).join(': ') || undefined),
})

/** In what the chosen bid is better than all the others that the rule weighed, in words. */
export function advantages({ winner, candidates }: Assignment): readonly string[] {
  const others = candidates.filter(({ bidderId }) => bidderId !== winner?.bidderId)
  if (!winner || others.length === 0) return []
  const isLeast = (member: 'cost' | 'latency' | 'queueDepth') => others.every((other) => (winner[member] ?? Infinity) < (other[member] ?? Infinity))
  const isSurest = others.every((other) => (winner.confidence ?? -1) > (other.confidence ?? -1))
  return [isLeast('cost') && 'lowest cost', isLeast('latency') && 'shortest time', isLeast('queueDepth') && 'shortest queue', isSurest && 'highest confidence'].filter((word) => word !== false)
}

const objectIn = (content: JsonObject, name: string): JsonObject => {
  const value = content[name]
  return isJsonObject(value) ? value : {}
}

const objectsIn = (content: JsonObject, name: string): readonly JsonObject[] => {
  const value = content[name]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function numberIn(content: JsonObject, name: string): number | undefined {
  const value = content[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const given = <K extends string, T>(name: K, value: T | undefined): { readonly [member in K]?: T } => (value === undefined ? {} : ({ [name]: value } as { readonly [member in K]?: T }))
