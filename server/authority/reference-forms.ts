// Payloads as the public Python reference writes them, put into the canonical form before anything is decided. What was
// signed and is stored stays as it was received.
import { reject } from '../../protocol/error-codes.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Command } from '../../protocol/generated/types.ts'
import { RESOURCE_USAGE_RECORD } from '../../protocol/kinds.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'

type Members = Readonly<Record<string, unknown>>
type Form = Pick<Command, 'payload' | 'conversationId'>
type Envelope = Pick<Command, 'kind' | 'conversationId'>

interface Translation {
  /** Every member of the reference's form; a payload with any other is not one. */
  readonly members: readonly string[]
  readonly isReference: (payload: Members) => boolean
  readonly translate: (payload: Members) => Record<string, unknown>
}

/** Members of the reference's budgets and usages under the names that they have here. It counts money in millionths. */
const LIMITS: Readonly<Record<string, string>> = {
  financialMicrounits: 'financialLimit', modelTokens: 'modelTokenLimit', toolCalls: 'toolCallLimit', computeSeconds: 'computeSecondsLimit', wallClockSeconds: 'wallClockSecondsLimit', externalActions: 'externalSideEffectLimit',
}
const FIGURES: Readonly<Record<string, string>> = { financialMicrounits: 'financial', externalActions: 'externalSideEffects' }

/** The reference asks for no reason where the canonical form does. */
const NO_REASON = 'No reason was given.'

const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  'membership.change': {
    members: ['principal', 'roles', 'provisional', 'visibilityAfterSequence'],
    isReference: ({ principal, roles, provisional = false }) => principal !== undefined && Array.isArray(roles) && roles.length === 1 && provisional === false,
    translate: ({ principal, roles, visibilityAfterSequence: after }) => ({
      member: principalIn(principal),
      role: (roles as unknown[])[0],
      ...(after !== undefined && { visibilityStartSequence: typeof after === 'number' ? after + 1 : after }),
    }),
  },
  'membership.end': {
    members: ['principal'],
    isReference: ({ principal }) => principal !== undefined,
    translate: ({ principal }) => ({ member: principalIn(principal), reason: NO_REASON }),
  },
  'mission.assign_coordinator': {
    members: ['coordinatorId', 'leaseSeconds'],
    isReference: ({ coordinatorId }) => coordinatorId !== undefined,
    translate: ({ coordinatorId, ...rest }) => ({ coordinatorAgentId: coordinatorId, ...rest, reason: NO_REASON }),
  },
  'message.post': {
    members: ['messageId', 'content', 'mentions', 'authority', 'conversationId'],
    isReference: ({ content }) => typeof content === 'string',
    translate: ({ content, mentions, conversationId: _conversationId, ...rest }) => ({ ...rest, content: textOf(content), ...(Array.isArray(mentions) && { mentions: mentions.map(principalIn) }) }),
  },
  'message.correct': {
    members: ['amendmentId', 'messageId', 'replacementContent', 'reason'],
    isReference: ({ replacementContent }) => typeof replacementContent === 'string',
    translate: ({ replacementContent, ...rest }) => ({ ...rest, replacementContent: textOf(replacementContent) }),
  },
  'mission.submit_for_approval': {
    members: ['artifactHashes'],
    isReference: ({ artifactHashes }) => artifactHashes !== undefined,
    translate: ({ artifactHashes }) => ({ artifactHashes, summary: 'No summary was given.', openRisks: ['Whether there are open risks was not said.'], dropped: [] }),
  },
  'work.unblock': {
    members: ['workItemId'],
    isReference: ({ workItemId }) => workItemId !== undefined,
    translate: (payload) => ({ ...payload, resolution: 'No resolution was given.' }),
  },
  'membership.grant_delegation': {
    members: ['grantId', 'granteeAgentId', 'targetWorkItemId', 'allowedCapabilities', 'budget', 'maxDescendantDepth', 'expiresAt'],
    isReference: ({ allowedCapabilities, budget }) => Array.isArray(allowedCapabilities) && isCounted(budget, 'financialMicrounits'),
    translate: ({ allowedCapabilities, budget, ...rest }) => ({ ...rest, allowedCapabilities: (allowedCapabilities as unknown[]).map(capabilityIn), budget: renamed(budget as Members, LIMITS) }),
  },
  [RESOURCE_USAGE_RECORD]: {
    members: ['workItemId', 'ownershipEpoch', 'executionLeaseId', 'usageDelta'],
    isReference: ({ usageDelta }) => isCounted(usageDelta, 'financialMicrounits', 'externalActions'),
    translate: ({ usageDelta, ...rest }) => ({ ...rest, usageDelta: renamed(usageDelta as Members, FIGURES) }),
  },
}

/** Forms that say too little, by the member that gives them away, and what they leave out. */
const TOO_LITTLE: Readonly<Record<string, readonly [member: string, why: string]>> = {
  'mission.create': ['coordinatorId', 'it has no approval policy and does not say which evidence a criterion needs'],
  'mission.create_follow_up': ['coordinatorId', 'it has no approval policy and does not say which evidence a criterion needs'],
  'mission.create_child': ['coordinatorId', 'it has no approval policy and does not say which evidence a criterion needs'],
  'mission.approve': ['approvalId', 'it holds no signed Approval'],
  'mission.request_changes': ['feedback', 'it holds no signed Approval'],
  'approval.grant_execution': ['approvalId', 'it holds no signed Approval'],
  'work.submit': ['artifactIds', 'its Evidence is not signed and it names no content hashes'],
  'work.checkpoint': ['checkpoint', 'it does not say what blocks the work and when it is expected to be done'],
  'work.block': ['checkpoint', 'it does not say what would let the work go on'],
}

/**
 * The canonical payload of a Command, with the Conversation that the reference names inside it. A payload that is in neither
 * form, a mixture of both included, is left for its schema to refuse. INVALID_COMMAND for a form that cannot be translated.
 */
export function canonicalForm({ kind, conversationId }: Envelope, payload: Members): Result<Form, Rejection> {
  const asIs: Form = { payload: payload as Command['payload'], ...(conversationId !== undefined && { conversationId }) }
  const [member, why] = Object.hasOwn(TOO_LITTLE, kind) ? TOO_LITTLE[kind]! : []
  if (member !== undefined && Object.hasOwn(payload, member)) return err(reject('INVALID_COMMAND', `this form of ${kind} cannot be taken: ${why}`))
  const translation = Object.hasOwn(TRANSLATIONS, kind) ? TRANSLATIONS[kind]! : undefined
  if (!translation) return ok(asIs)
  // The reference writes null for what is absent.
  const given: Members = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null))
  const isWhole = Object.keys(payload).every((name) => translation.members.includes(name))
  const named = given.conversationId ?? conversationId
  if (!isWhole || !translation.isReference(given) || (conversationId !== undefined && named !== conversationId)) return ok(asIs)
  return ok({ payload: translation.translate(given), ...(named !== undefined && { conversationId: named as string }) })
}

const textOf = (text: unknown) => [{ type: 'text', text }]

/** The reference calls a service `system`. */
function principalIn(value: unknown): unknown {
  const isSystem = typeof value === 'object' && value !== null && (value as Members).type === 'system'
  return isSystem ? { ...value, type: 'service' } : value
}

/** Amounts in the reference's names, all of them, one of these at least among them. */
function isCounted(amounts: unknown, ...telling: readonly string[]): boolean {
  if (typeof amounts !== 'object' || amounts === null) return false
  const names = Object.keys(amounts)
  return telling.some((name) => names.includes(name)) && names.every((name) => name === 'currency' || Object.hasOwn(LIMITS, name))
}

function renamed(amounts: Members, names: Readonly<Record<string, string>>): Members {
  const given = Object.entries(amounts).map(([name, value]) => [names[name] ?? name, name === 'financialMicrounits' && typeof value === 'number' ? value / 1_000_000 : value])
  return Object.fromEntries(given)
}

/** Its versions are whole numbers, of which the first one goes without saying. */
function capabilityIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, 'version')) return value
  const { minimumVersion = 1, ...rest } = value as Members
  return { ...rest, version: typeof minimumVersion === 'number' ? `${minimumVersion}.0.0` : minimumVersion }
}
