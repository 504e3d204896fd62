// Turns the exact bytes about to be signed into words. Everything shown comes from the parsed document; nothing is fetched.
import { sha256Hash } from '../../protocol/digest.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/strict-json.ts'
import type { SigningPlan } from './signing-plan.ts'

/** `text` is the template's; `quote` a text inside the document; `id` an id inside it, for which the directory may have a name. */
export type SentencePart = { readonly text: string } | { readonly quote: string } | { readonly id: string }

/** `actor` values are the type of a Principal, a space and its id. */
export type FactForm = 'text' | 'id' | 'actor' | 'hash' | 'time'
export interface Fact {
  readonly label: string
  readonly values: readonly string[]
  readonly form: FactForm
}

export interface Statement {
  readonly sentence: readonly SentencePart[]
  /** What happens once the authority has accepted it; absent where the template says nothing. */
  readonly next?: string
  /** Every member of the document that the sentence or the envelope list does not already show in full. */
  readonly facts: readonly Fact[]
  readonly envelope: readonly Fact[]
  readonly templateId: string
  readonly templateHash: string
}

/** One sentence per act. A changed sentence is a new version, because receipts may name the template by id and hash. */
export const STATEMENT_TEMPLATE = {
  id: 'countersign.statement/7',
  sentences: {
    'command/mission.create': 'Create the mission {title}, be its accountable owner, and make {coordinator} its coordinator.',
    'command/mission.create_follow_up': 'Create the mission {title} as a follow-up of mission {source}, be its accountable owner, and make {coordinator} its coordinator.',
    'command/mission.assign_coordinator': 'Make {coordinator} the coordinator of mission {mission} instead of whoever coordinates it now.',
    'command/ext.countersign.mission.budget_raise': 'Raise the budget of mission {mission} to the amounts below.',
    'command/mission.cancel': 'Cancel mission {mission} for good.',
    'command/ext.countersign.policy.change': 'Put version {version} of the organization’s policy in force instead of version {replaced}.',
    'command/membership.change': 'Give {member} the role of {role} in mission {mission}.',
    'command/membership.end': 'End the membership of {member} in mission {mission}.',
    'command/work.authorize': 'Step in for the coordinator of mission {mission} and authorize the work {goal}.',
    'command/work.offer': 'Step in for the coordinator of mission {mission} and offer work item {work} to {candidates}.',
    'command/work.cancel': 'Cancel work item {work} of mission {mission}.',
    'command/ext.countersign.conversation.open': 'Open the {type} conversation {title} in mission {mission}.',
    'command/message.redact': 'Redact message {message} in mission {mission}.',
    'approval/approved': 'Approve revision {revision} of mission {mission}: {artifacts}.',
    'approval/changes_requested': 'Ask for changes to revision {revision} of mission {mission}: {artifacts}.',
    'approval/denied': 'Deny revision {revision} of mission {mission}: {artifacts}.',
    'approval/child_mission/approved': 'Approve revision {revision} of mission {mission}, which is part of yours: {artifacts}.',
    'approval/child_mission/changes_requested': 'Ask for changes to revision {revision} of mission {mission}, which is part of yours: {artifacts}.',
    'approval/work_execution/approved': 'Let the present owner of work item {work} start it, on the conditions below.',
    'approval/revoked': 'Revoke your earlier approval {revoked} of mission {mission}.',
    'sign-in': 'Sign in to {audience}.',
    'add-key': 'Let a new {use} key sign as you.',
    command: 'Sign the command {kind}.',
  },
  next: {
    'command/mission.create': 'The coordinator plans the work and hands it out. The result comes back to you for approval.',
    'command/mission.create_follow_up': 'The coordinator plans the work and hands it out. The approved mission stays as it is.',
    'command/mission.assign_coordinator': 'What the former coordinator sends from then on is refused. Work under way goes on.',
    'command/ext.countersign.mission.budget_raise': 'The coordinator hands out what is new. What each work item may use stays as it is.',
    'command/ext.countersign.policy.change': 'It holds for every mission from now on. What was decided before stays as it was decided.',
    'command/mission.cancel': 'All unfinished work stops, and the mission never opens again.',
    'command/membership.change': 'The membership holds at once. Being a member assigns no work.',
    'command/membership.end': 'The member sees nothing that follows, and what they still send is refused.',
    'command/work.authorize': 'The work is open. It starts once an agent has been offered it and has accepted.',
    'command/work.offer': 'The first to accept owns the work. Earlier offers of it are void.',
    'command/work.cancel': 'Nobody goes on with it, and what it has not used goes back to the budget. It cannot be taken up again.',
    'command/ext.countersign.conversation.open': 'Those who take part can post there. It cannot be closed or changed.',
    'command/message.redact': 'Its text is kept from everybody but the owner and the operators. This cannot be undone.',
    'approval/approved': 'The mission is closed for good, and anybody can verify its receipt.',
    'approval/changes_requested': 'The mission is active again. The coordinator reads your comment and submits anew.',
    'approval/child_mission/approved': 'Whoever owns that mission can approve it now, and its result goes into yours.',
    'approval/child_mission/changes_requested': 'This submission cannot be approved any more. Whoever owns that mission sends it back.',
    'approval/work_execution/approved': 'Its owner can start at once. A new owner or contract needs a new approval.',
  },
} as const

type SentenceKey = keyof typeof STATEMENT_TEMPLATE.sentences
const NEXT: Readonly<Partial<Record<SentenceKey, string>>> = STATEMENT_TEMPLATE.next

const TEMPLATE_HASH = sha256Hash(encodeCanonical(STATEMENT_TEMPLATE))

/** What the planned signature says, in words. */
export function describePlan(plan: SigningPlan): Statement {
  const { document } = plan
  if (plan.form !== 'command') {
    const slots = { audience: quote(document['audience']), use: text(document['use']) }
    return statement(plan.form, slots, factsOf(document), [])
  }
  const envelope = factsOf(document, ['payload', 'protocolVersion'])
  if (plan.approval !== undefined) return describeApproval(plan.approval, envelope)
  const payload = isJsonObject(document['payload']) ? document['payload'] : {}
  const policy = isJsonObject(payload['policy']) ? payload['policy'] : undefined
  const slots = {
    title: quote(payload['title']),
    coordinator: id(payload['coordinatorAgentId']),
    mission: id(payload['missionId'] ?? document['groupId']),
    source: id(payload['followUpOfMissionId']),
    version: text(policy?.['version']),
    replaced: text(document['expectedRevision']),
    member: id(memberOf(payload['member'], 'id')),
    role: text(payload['role'], withoutUnderscores),
    goal: quote(memberOf(payload['contract'], 'goal')),
    work: id(payload['workItemId']),
    candidates: oneOrMany(payload['candidateAgentIds'], 'agents'),
    type: text(payload['type']),
    message: id(payload['messageId']),
    kind: quote(document['kind']),
  }
  return statement(sentenceKey(`command/${String(document['kind'])}`), slots, payloadFacts(payload), envelope)
}

/** A policy or a Work Contract is what its Command is about: each of its members stands by itself, and what is left of the payload above them. */
function payloadFacts(payload: JsonObject): readonly Fact[] {
  const within = ['policy', 'contract'].flatMap((member) => (isJsonObject(payload[member] ?? null) ? [[member, payload[member] as JsonObject] as const] : []))
  return [...factsOf(payload, within.map(([member]) => member)), ...within.flatMap(([, matter]) => factsOf(matter))]
}

function describeApproval(approval: JsonObject, envelope: readonly Fact[]): Statement {
  const hashes = Array.isArray(approval['artifactHashes']) ? approval['artifactHashes'].length : 0
  const slots = {
    kind: quote(APPROVAL_WORDS.get(String(approval['kind'])) ?? 'approval'),
    revision: text(approval['missionRevision']),
    mission: id(approval['missionId']),
    work: id(approval['workItemId']),
    artifacts: { text: hashes === 1 ? '1 artifact' : `${hashes} artifacts` },
    revoked: id(approval['revokesApprovalId']),
  }
  const matter = approval['kind'] === 'mission_final' ? '' : `${String(approval['kind'])}/`
  return statement(sentenceKey(`approval/${matter}${String(approval['decision'])}`), slots, factsOf(approval), envelope)
}

const APPROVAL_WORDS: ReadonlyMap<string, string> = new Map([['mission_final', 'mission approval'], ['child_mission', 'approval of a child mission'], ['work_execution', 'execution approval']])

const sentenceKey = (key: string): SentenceKey => (Object.hasOwn(STATEMENT_TEMPLATE.sentences, key) ? (key as SentenceKey) : 'command')

function statement(key: SentenceKey, slots: Readonly<Record<string, SentencePart>>, facts: readonly Fact[], envelope: readonly Fact[]): Statement {
  const sentence = STATEMENT_TEMPLATE.sentences[key]
    .split(/(\{\w+\})/)
    .filter((piece) => piece !== '')
    .map((piece): SentencePart => (piece.startsWith('{') ? (slots[piece.slice(1, -1)] ?? { text: piece }) : { text: piece }))
  const next = NEXT[key]
  return { sentence, ...(next !== undefined && { next }), facts, envelope, templateId: STATEMENT_TEMPLATE.id, templateHash: TEMPLATE_HASH }
}

const withoutUnderscores = (word: string): string => word.replaceAll('_', ' ')
const memberOf = (value: JsonValue | undefined, member: string): JsonValue | undefined => (isJsonObject(value ?? null) ? (value as JsonObject)[member] : undefined)

/** The only id of a list by itself, several by their number: all of them stand among the facts. */
function oneOrMany(value: JsonValue | undefined, what: string): SentencePart {
  const ids = Array.isArray(value) ? value : []
  return ids.length === 1 ? id(ids[0]) : { text: `${ids.length} ${what}` }
}

const text = (value: JsonValue | undefined, worded = (word: string) => word): SentencePart => ({ text: worded(shown(value)) })
const quote = (value: JsonValue | undefined): SentencePart => ({ quote: shown(value) })
const id = (value: JsonValue | undefined): SentencePart => ({ id: shown(value) })

function shown(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // Grouped by thousands, and with every digit that the bytes have.
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 20 })
  return value === null || value === undefined ? 'null' : nested(value)
}

/** A value inside a value, in words. Texts keep the quotes of JSON, so that none can pass for another member. */
function nested(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(nested).join(', ') || 'none'
  if (isJsonObject(value)) return inReadingOrder(value).map((member) => `${labelOf(member)}: ${nested(value[member]!)}`).join('; ')
  return typeof value === 'string' ? JSON.stringify(value) : shown(value)
}

/** Members in reading order with their words. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['title', 'Title'],
  ['objective', 'Objective'],
  ['member', 'Member'],
  ['role', 'Role'],
  ['visibilityStartSequence', 'Reads the log from entry'],
  ['type', 'Type'],
  ['participants', 'Who takes part'],
  ['goal', 'Goal'],
  ['requiredDeliverables', 'Deliverables'],
  ['acceptanceCriteria', 'Accepted when'],
  ['dependencyWorkItemIds', 'Waits for'],
  ['inputArtifacts', 'Made from'],
  ['allowedResources', 'May use'],
  ['sideEffectRisk', 'Risk'],
  ['requestedUrgency', 'Urgency'],
  ['businessImpact', 'Why it matters'],
  ['retryPolicy', 'Attempts'],
  ['constraints', 'Constraints'],
  ['contractVersion', 'Contract version'],
  ['candidateAgentIds', 'Offered to'],
  ['offerExpiresInSeconds', 'The offer stands, seconds'],
  ['overrideReason', 'Reason for stepping in'],
  ['selectionBasis', 'Why them'],
  ['requiredCapabilities', 'Needs'],
  ['verifiedMatches', 'Their card vouches for'],
  ['authorizationEligible', 'Allowed to do it'],
  ['availabilityEstimate', 'Could begin'],
  ['expectedCost', 'Expected cost'],
  ['reliabilityEvidence', 'Evidence of reliability'],
  ['policyRulesApplied', 'Rule applied'],
  ['definitionOfDone', 'Done when'],
  ['budget', 'Budget'],
  ['deadline', 'Deadline'],
  ['coordinatorAgentId', 'Coordinator'],
  ['coordinatorLeaseSeconds', 'Coordinator lease, seconds'],
  ['leaseSeconds', 'Lease, seconds'],
  ['approvalPolicy', 'Approval policy'],
  ['missionRevision', 'Mission revision'],
  ['artifactHashes', 'Artifacts'],
  ['acceptancePolicyVersion', 'Acceptance policy'],
  ['decision', 'Decision'],
  ['comments', 'Comment'],
  ['conditions', 'Conditions'],
  ['reason', 'Reason'],
  ['audience', 'Site'],
  ['publicKey', 'New public key'],
  ['use', 'Use of the new key'],
  ['missionId', 'Mission id'],
  ['workItemId', 'Work item id'],
  ['conversationId', 'Conversation id'],
  ['proposalId', 'Proposal id'],
  ['messageId', 'Message id'],
  ['amendmentId', 'Amendment id'],
  ['followUpOfMissionId', 'Follows up mission'],
  ['groupId', 'Space id'],
  ['actionId', 'Action id'],
  ['actor', 'Signed as'],
  ['approver', 'Approver'],
  ['issuedAt', 'Prepared at'],
  ['occurredAt', 'Decided at'],
  ['expiresAt', 'Challenge ends'],
  ['expectedRevision', 'Expected revision'],
  ['membershipEpoch', 'Membership epoch'],
  ['kind', 'Kind'],
  ['correlationId', 'Correlation id'],
  ['challengeId', 'Challenge'],
  ['purpose', 'Purpose'],
  ['approvalId', 'Approval id'],
  ['financialLimit', 'Cost'],
  ['currency', 'Currency'],
  ['modelTokenLimit', 'Model tokens'],
  ['toolCallLimit', 'Tool calls'],
  ['computeSecondsLimit', 'Compute seconds'],
  ['wallClockSecondsLimit', 'Wall-clock seconds'],
  ['externalSideEffectLimit', 'External side effects'],
  ['finalHumanApproval', 'A person approves the result'],
  ['highRiskExecutionApproval', 'A person approves risky work first'],
  ['policyVersion', 'Policy version'],
  ['version', 'Version'],
  ['risk', 'Approval by risk'],
  ['none', 'Work without side effects'],
  ['reversible', 'Work that can be undone'],
  ['external', 'Work with effects outside'],
  ['high_risk', 'Work of high risk'],
  ['destructive', 'Work that destroys something'],
  ['executionApproval', 'a person approves its start'],
  ['rootHumanApproval', 'the root owner approves a child mission'],
  ['executionGates', 'Operations that wait for approval'],
  ['payment', 'Payment'],
  ['production_deployment', 'Deployment to production'],
  ['destructive_change', 'Destructive change'],
  ['external_communication', 'Communication with others'],
  ['sensitive_data', 'Sensitive data'],
  ['limits', 'Limits for each member in each mission'],
  ['messagesPerMinute', 'Messages a minute'],
  ['proposalsPerMinute', 'Proposals a minute'],
  ['queuedWorkItems', 'Work waiting for one agent'],
  ['activeWorkItems', 'Work under way by one agent'],
  ['openClarifications', 'Open clarifications'],
  ['maximumDepth', 'Levels'],
  ['childMissions', 'Child missions below a mission'],
  ['delegation', 'Work below work, delegated'],
  ['services', 'Services and what they may do in every mission'],
  ['principalId', 'Service'],
  ['kinds', 'may do'],
  ['freshnessSeconds', 'A signed command is taken for, seconds'],
])

const READING_ORDER = [...LABELS.keys()]

/** One fact per member, in reading order; a member without a label of its own is shown under its name, never left out. */
function factsOf(document: JsonObject, except: readonly string[] = []): Fact[] {
  return inReadingOrder(document)
    .filter((member) => !except.includes(member))
    .map((member) => fact(member, document[member]!))
}

function inReadingOrder(object: JsonObject): readonly string[] {
  const rank = (member: string) => (LABELS.has(member) ? READING_ORDER.indexOf(member) : READING_ORDER.length)
  return Object.keys(object).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** A label that stands by itself. */
const headingOf = (member: string): string => (LABELS.has(member) ? labelOf(member).replace(/^./, (first) => first.toUpperCase()) : member)

const labelOf = (member: string): string => LABELS.get(member) ?? member

function fact(member: string, value: JsonValue): Fact {
  const form = formOf(member, value)
  return { label: headingOf(member), values: valuesOf(member, value, form), form }
}

function valuesOf(member: string, value: JsonValue, form: FactForm): readonly string[] {
  if (form === 'actor') return asList(value).filter(isActor).map(({ type, id: principalId }) => `${type} ${principalId}`)
  if (CRITERIA.has(member)) return asList(value).map(criterionWords)
  return isJsonObject(value) ? memberWords(value) : asList(value).map(shown)
}

const CRITERIA: ReadonlySet<string> = new Set(['definitionOfDone', 'acceptanceCriteria'])
const ACTORS: ReadonlySet<string> = new Set(['actor', 'approver', 'member', 'participants'])

function isActor(value: JsonValue): value is { readonly type: string; readonly id: string } {
  return isJsonObject(value) && Object.keys(value).length === 2 && typeof value['type'] === 'string' && typeof value['id'] === 'string'
}

const asList = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value])

function formOf(member: string, value: JsonValue): FactForm {
  if (ACTORS.has(member) && asList(value).every(isActor)) return 'actor'
  if (member.endsWith('Hashes') || member === 'publicKey') return 'hash'
  if (typeof value === 'string' && (member.endsWith('At') || member === 'deadline')) return 'time'
  if (member.endsWith('Ids') && asList(value).every((each) => typeof each === 'string')) return 'id'
  return typeof value === 'string' && member.endsWith('Id') ? 'id' : 'text'
}

/** The description comes last: it is whatever somebody wrote, and what stood behind it could be part of it. */
function criterionWords(criterion: JsonValue): string {
  if (!isJsonObject(criterion)) return shown(criterion)
  const { criterionId, description, evidenceRequired, ...rest } = criterion
  const head = `${shown(criterionId)}, proven by ${asList(evidenceRequired ?? null).map(shown).join(', ').replaceAll('_', ' ')}`
  return `${head}${Object.keys(rest).length === 0 ? '' : `, ${JSON.stringify(rest)}`}: ${shown(description)}`
}

const memberWords = (object: JsonObject): string[] => inReadingOrder(object).map((member) => `${labelOf(member)}: ${shown(object[member])}`)
