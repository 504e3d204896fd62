// The database's shape. Constraints are named for the rule they hold; the store tells a refusal from a fault by these names.
// Times are text exactly as given: a timestamp type would drop digits of the fraction.
import { sql } from 'drizzle-orm'
import { boolean, check, foreignKey, index, integer, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core'
import { bytea, text, whole } from './columns.ts'

export * from './door-tables.ts'

/** Every Space with the sequence of its last Event. Its row is locked by whoever appends. */
export const spaces = pgTable(
  'spaces',
  { spaceId: text('space_id').notNull(), kind: text('kind').notNull(), head: whole('head').notNull() },
  (t) => [
    primaryKey({ name: 'spaces_id_once', columns: [t.spaceId] }),
    check('spaces_kind_is_known', sql`${t.kind} in ('mission', 'organization', 'policy', 'open')`),
  ],
)

/**
 * The evidence: exact Event bytes in the order of their Space. Each Event is one node of the Space's graph; what is asked about
 * nodes stands beside the bytes, because a row of its own would cost every Command a table more.
 */
export const log = pgTable(
  'log',
  {
    spaceId: text('space_id').notNull(),
    sequence: whole('sequence').notNull(),
    eventId: text('event_id').notNull(),
    kind: text('kind').notNull(),
    bytes: bytea('bytes').notNull(),
    conversationId: text('conversation_id'),
    workItemId: text('work_item_id'),
  },
  (t) => [
    primaryKey({ name: 'log_one_event_per_sequence', columns: [t.spaceId, t.sequence] }),
    unique('log_event_id_once').on(t.eventId),
    index('log_messages_by_conversation').on(t.spaceId, t.conversationId, t.sequence).where(sql`${t.kind} = 'message.posted'`),
    check('log_sequence_from_one', sql`${t.sequence} >= 1`),
  ],
)

/**
 * Accepted Commands, byte for byte, beside the sequence of their primary Event. A Command's own First-Admission Record
 * stands here too, since both are written at the same moment and are found by the same hash.
 */
export const receipts = pgTable(
  'receipts',
  {
    actorId: text('actor_id').notNull(),
    actionId: text('action_id').notNull(),
    signingHash: text('signing_hash').notNull(),
    spaceId: text('space_id').notNull(),
    sequence: whole('sequence').notNull(),
    command: bytea('command').notNull(),
    admission: bytea('admission'),
  },
  (t) => [
    primaryKey({ name: 'receipts_action_id_once', columns: [t.actorId, t.actionId] }),
    unique('receipts_document_once').on(t.signingHash),
    unique('receipts_one_per_event').on(t.spaceId, t.sequence),
  ],
)

/** First-Admission Records of documents inside Commands, and of Events: append-only metadata of the log, never signed. */
export const admissions = pgTable(
  'admissions',
  {
    organizationId: text('organization_id').notNull(),
    signingHash: text('signing_hash').notNull(),
    recordId: text('record_id').notNull(),
    record: text('record').notNull(),
  },
  (t) => [
    primaryKey({ name: 'admissions_document_once', columns: [t.signingHash, t.organizationId] }),
    unique('admissions_record_id_once').on(t.recordId),
  ],
)

/** What an Event of one Space brings about in another, until that Space has recorded it. JSON text, for `jsonb` would refuse U+0000. */
export const reactions = pgTable(
  'reactions',
  { targetSpaceId: text('target_space_id').notNull(), eventId: text('event_id').notNull(), reaction: text('reaction').notNull() },
  (t) => [primaryKey({ name: 'reactions_once', columns: [t.targetSpaceId, t.eventId] })],
)

// Read models: rebuildable from the log.

export const missions = pgTable(
  'missions',
  {
    spaceId: text('space_id').notNull(),
    missionId: text('mission_id').notNull(),
    title: text('title').notNull(),
    state: text('state').notNull(),
    ownerId: text('owner_id').notNull(),
  },
  (t) => [
    primaryKey({ name: 'missions_one_per_space', columns: [t.spaceId] }),
    unique('missions_id_once').on(t.missionId),
  ],
)

export const memberships = pgTable(
  'memberships',
  {
    spaceId: text('space_id').notNull(),
    memberId: text('member_id').notNull(),
    role: text('role').notNull(),
    state: text('state').notNull(),
    membershipEpoch: whole('membership_epoch').notNull(),
    visibilityStartSequence: whole('visibility_start_sequence').notNull(),
    missionId: text('mission_id').notNull(),
  },
  (t) => [
    primaryKey({ name: 'memberships_one_per_member', columns: [t.spaceId, t.memberId] }),
    index('memberships_by_member').on(t.memberId),
  ],
)

/** Edges point to what is older, so that the graph cannot hold a cycle. */
export const graphEdges = pgTable(
  'graph_edges',
  {
    spaceId: text('space_id').notNull(),
    child: whole('child').notNull(),
    parent: whole('parent').notNull(),
    provenance: text('provenance').notNull(),
  },
  (t) => [
    primaryKey({ name: 'graph_edges_once', columns: [t.spaceId, t.child, t.parent, t.provenance] }),
    index('graph_edges_by_parent').on(t.spaceId, t.parent, t.child),
    check('graph_edges_point_back', sql`${t.parent} < ${t.child}`),
  ],
)

export const artifactRefs = pgTable(
  'artifact_refs',
  {
    spaceId: text('space_id').notNull(),
    sequence: whole('sequence').notNull(),
    artifactId: text('artifact_id').notNull(),
    contentHash: text('content_hash').notNull(),
    workItemId: text('work_item_id').notNull(),
  },
  (t) => [
    primaryKey({ name: 'artifact_refs_once', columns: [t.spaceId, t.sequence, t.artifactId] }),
    index('artifact_refs_by_content').on(t.contentHash, t.spaceId),
  ],
)

export const executions = pgTable(
  'executions',
  {
    spaceId: text('space_id').notNull(),
    workItemId: text('work_item_id').notNull(),
    holderAgentId: text('holder_agent_id'),
  },
  (t) => [
    primaryKey({ name: 'executions_one_per_work_item', columns: [t.spaceId, t.workItemId] }),
    index('executions_by_holder').on(t.holderAgentId).where(sql`${t.holderAgentId} is not null`),
  ],
)

// The Organization's directory: state outside the Space logs.

export const principals = pgTable(
  'principals',
  {
    principalId: text('principal_id').notNull(),
    principalType: text('principal_type').notNull(),
    name: text('name').notNull(),
    isAdmin: boolean('is_admin').notNull(),
    createdAt: text('created_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'principals_id_once', columns: [t.principalId] }),
    check('principals_type_is_known', sql`${t.principalType} in ('agent', 'human', 'service')`),
  ],
)

/** Immutable bindings: a key id and a public key each mean one thing forever. */
export const keys = pgTable(
  'keys',
  {
    keyId: text('key_id').notNull(),
    publicKey: text('public_key').notNull(),
    algorithm: text('algorithm').notNull(),
    principalType: text('principal_type').notNull(),
    principalId: text('principal_id').notNull(),
    validFrom: text('valid_from').notNull(),
    keyUse: text('key_use').notNull(),
    custody: text('custody').notNull(),
    label: text('label').notNull(),
  },
  (t) => [
    primaryKey({ name: 'keys_id_bound_once', columns: [t.keyId] }),
    unique('keys_public_key_bound_once').on(t.publicKey),
    check('keys_use_is_known', sql`${t.keyUse} in ('authority', 'conversation', 'agent', 'service')`),
  ],
)

/** Ends of validity in the order in which they were recorded; rows are only ever added. */
export const keyBoundaries = pgTable(
  'key_boundaries',
  {
    keyId: text('key_id').notNull(),
    entry: integer('entry').notNull(),
    validUntil: text('valid_until'),
    revokedAt: text('revoked_at'),
    recordedAt: text('recorded_at'),
  },
  (t) => [
    primaryKey({ name: 'key_boundaries_in_order', columns: [t.keyId, t.entry] }),
    foreignKey({ name: 'key_boundaries_of_known_key', columns: [t.keyId], foreignColumns: [keys.keyId] }),
    check('key_boundaries_end_something', sql`${t.validUntil} is not null or ${t.revokedAt} is not null`),
  ],
)

/** Agent Cards, every version; the highest is current. */
export const cards = pgTable(
  'cards',
  { agentId: text('agent_id').notNull(), cardVersion: whole('card_version').notNull(), bytes: bytea('bytes').notNull() },
  (t) => [primaryKey({ name: 'cards_version_once', columns: [t.agentId, t.cardVersion] })],
)

/** The last Session Epoch given out, per Agent. */
export const agentSessions = pgTable(
  'agent_sessions',
  { agentId: text('agent_id').notNull(), sessionEpoch: whole('session_epoch').notNull() },
  (t) => [primaryKey({ name: 'agent_sessions_one_per_agent', columns: [t.agentId] })],
)

export const invitations = pgTable(
  'invitations',
  {
    tokenHash: text('token_hash').notNull(),
    name: text('name').notNull(),
    isAdmin: boolean('is_admin').notNull(),
    createdAt: text('created_at').notNull(),
    expiresAt: text('expires_at').notNull(),
    consumedAt: text('consumed_at'),
  },
  (t) => [primaryKey({ name: 'invitations_token_once', columns: [t.tokenHash] })],
)

export const consoleSessions = pgTable(
  'console_sessions',
  {
    tokenHash: text('token_hash').notNull(),
    principalId: text('principal_id').notNull(),
    keyId: text('key_id').notNull(),
    expiresAt: text('expires_at').notNull(),
  },
  (t) => [primaryKey({ name: 'console_sessions_token_once', columns: [t.tokenHash] })],
)

/** Highest contiguous sequence that an Agent has acknowledged, per Group. */
export const cursors = pgTable(
  'cursors',
  { agentId: text('agent_id').notNull(), groupId: text('group_id').notNull(), sequence: whole('sequence').notNull() },
  (t) => [primaryKey({ name: 'cursors_one_per_group', columns: [t.agentId, t.groupId] })],
)

/** Refused attempts, for auditors. `detail` is JSON text: `jsonb` would refuse U+0000, which a peer can send. */
export const audit = pgTable(
  'audit',
  {
    entry: whole('entry').generatedAlwaysAsIdentity(),
    at: text('at').notNull(),
    stage: text('stage').notNull(),
    reason: text('reason').notNull(),
    door: text('door').notNull(),
    spaceId: text('space_id'),
    detail: text('detail').notNull(),
  },
  (t) => [primaryKey({ name: 'audit_entry_once', columns: [t.entry] })],
)

/**
 * The Policy Log: rulings, each with the Event that it let through or with the code that it refused a Command by. Rows
 * are only ever added, and stay when the audit entries go; of refusals alone those of more than a year ago are deleted. Numbers are given before commit and in no certain order within one.
 */
export const policyLog = pgTable(
  'policy_log',
  {
    spaceId: text('space_id').notNull(),
    entry: whole('entry').generatedAlwaysAsIdentity(),
    area: text('area').notNull(),
    outcome: text('outcome').notNull(),
    at: text('at').notNull(),
    actorType: text('actor_type').notNull(),
    actorId: text('actor_id').notNull(),
    actionId: text('action_id').notNull(),
    kind: text('kind').notNull(),
    reason: text('reason').notNull(),
    policyVersion: whole('policy_version').notNull(),
    code: text('code'),
    eventId: text('event_id'),
    sequence: whole('sequence'),
  },
  (t) => [
    primaryKey({ name: 'policy_log_entry_once', columns: [t.spaceId, t.entry] }),
    index('policy_log_by_entry').on(t.entry),
    index('policy_log_refusals').on(t.at).where(sql`${t.outcome} = 'refused'`),
    index('policy_log_refusals_by_entry').on(t.entry).where(sql`${t.outcome} = 'refused'`),
    index('policy_log_refusals_in_space').on(t.spaceId, t.entry).where(sql`${t.outcome} = 'refused'`),
    check('policy_log_outcome_is_shown', sql`(${t.outcome} = 'allowed' and ${t.eventId} is not null and ${t.sequence} is not null) or (${t.outcome} = 'refused' and ${t.code} is not null)`),
  ],
)
