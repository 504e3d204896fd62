// What a record of a negotiation says in one short sentence. Content comes from agents: whatever is not what it should be is left out.
import type { IapRecord } from '../../../protocol/generated/types.ts'
import type { Naming } from './participants.ts'
import { shorten } from './shorten.ts'

type Content = Readonly<Record<string, unknown>>
/** `speaker` said it, `about` is whom the router's decision is about. */
interface Told { readonly content: Content; readonly speaker: string; readonly about: string; readonly work: string }

const maxPoints = 100

const NOT_CHOSEN: Readonly<Record<string, string>> = { over_max_cost: 'over the cost limit', over_max_latency: 'over the time limit' }
const LET_GO: Readonly<Record<string, string>> = { not_accepted: 'did not accept in time', disconnected: 'left', offline: 'was not heard any more' }
const KEPT: Readonly<Record<string, string>> = { stale_assignment: 'it did not have the task', not_accepted: 'it had not accepted', late: 'too late', output_does_not_fit: 'it does not fit its own schema' }

const TITLES: Readonly<Record<IapRecord['type'], (told: Told) => string>> = {
  task_proposal: ({ speaker, work }) => `Proposal: ${speaker} asks for bids on “${work}”`,
  task_broadcast: ({ content }) => `Asked for bids: ${counted(content)}`,
  task_bid: ({ content, speaker }) => `Bid${costIn(objectIn(content, 'bid'))} by ${speaker}${inBrackets(NOT_CHOSEN[textIn(content, 'ineligible') ?? ''])}`,
  task_assignment: ({ content, about }) => `Awarded to ${about}${rivals(content)}`,
  task_acceptance: ({ speaker }) => `${speaker} takes the award`,
  task_rejection: ({ content, speaker }) => `${speaker} turns the award down${after(textIn(content, 'reason'))}`,
  task_release: ({ content, about }) => `Taken from ${about}, who ${LET_GO[textIn(content, 'cause') ?? ''] ?? 'let go of it'}`,
  task_fence: ({ about }) => `${about} keeps the award in a new session`,
  assignee_lost: ({ about }) => `${about} is not heard any more`,
  assignee_returned: ({ about }) => `${about} is back at work`,
  context_transfer: ({ speaker }) => `${speaker} hands context on`,
  task_result: resultTitle,
  task_failure: ({ content }) => `Nobody does it${after(textIn(content, 'reason'))}`,
  task_cancellation: ({ content }) => `Negotiation cancelled${after(textIn(content, 'reason'))}`,
}

export function negotiationTitle({ type, speaker, concerns, author, content = {} }: IapRecord, { name, work }: { readonly name: Naming; readonly work: string }): string {
  return TITLES[type]({ content, speaker: speaker ? name(speaker).name : author, about: concerns ? name(concerns).name : (textIn(content, 'agentId') ?? 'an agent'), work })
}

function resultTitle({ content, speaker }: Told): string {
  const refused = textIn(content, 'refused')
  if (refused !== undefined) return `Result of ${speaker}, kept and not applied: ${KEPT[refused] ?? refused}`
  const { status, error } = objectIn(content, 'result')
  return status === 'failed' ? `${speaker} reports a failure${after(textIn((error ?? {}) as Content, 'message'))}` : `Result of ${speaker}`
}

function counted({ eligible }: Content): string {
  const count = Array.isArray(eligible) ? eligible.length : 0
  return count === 1 ? '1 agent' : `${count === 0 ? 'several' : count} agents`
}

/** Against how many others the winner was chosen. */
function rivals(content: Content): string {
  const { candidates } = objectIn(content, 'selection')
  const others = Array.isArray(candidates) ? candidates.length - 1 : 0
  return others < 1 ? '' : `, chosen from ${others + 1} bids`
}

const costIn = ({ estimatedCost }: Content): string => (typeof estimatedCost === 'number' ? ` ${estimatedCost}` : '')
const inBrackets = (words: string | undefined): string => (words === undefined ? '' : ` (${words})`)
const after = (words: string | undefined): string => (words === undefined ? '' : `: ${shorten(words, maxPoints)}`)
const textIn = (content: Content, member: string): string | undefined => (typeof content[member] === 'string' ? content[member] : undefined)
const objectIn = (content: Content, member: string): Content => (typeof content[member] === 'object' && content[member] !== null ? (content[member] as Content) : {})
