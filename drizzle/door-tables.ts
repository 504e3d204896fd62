// Tables of the doors other than MWP's. They are part of schema.ts, which says what holds for all.
import { sql } from 'drizzle-orm'
import { boolean, check, foreignKey, index, integer, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core'
import { bytea, text, whole } from './columns.ts'

// Open Spaces: IOA's Nodes and Messages. The Messages themselves are in `log`, byte for byte as every door serves them.

/** A participant as IOA names it. One of a Principal that came by another door has the Principal's id. */
export const nodes = pgTable(
  'nodes',
  {
    nodeId: text('node_id').notNull(),
    principalId: text('principal_id').notNull(),
    name: text('name').notNull(),
    /** The name, where the Node was registered by it alone: such a name is good for one Node. */
    claimedName: text('claimed_name'),
    description: text('description').notNull(),
    /** JSON text of an object. */
    meta: text('meta').notNull(),
    /** The access key that enrolled it, and may enrol it again. */
    accessKeyId: text('access_key_id'),
    createdAt: text('created_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'nodes_id_once', columns: [t.nodeId] }),
    unique('nodes_one_per_principal').on(t.principalId),
    unique('nodes_claimed_name_once').on(t.claimedName),
    index('nodes_by_name').on(t.name, t.nodeId),
  ],
)

/** Who a Node is elsewhere: a pair of namespace and subject leads to one Node, server-wide. */
export const nodeIdentities = pgTable(
  'node_identities',
  {
    namespace: text('namespace').notNull(),
    subject: text('subject').notNull(),
    nodeId: text('node_id').notNull(),
    /** JSON text of an object; absent where none were given. */
    claims: text('claims'),
  },
  (t) => [
    primaryKey({ name: 'node_identities_pair_once', columns: [t.namespace, t.subject] }),
    foreignKey({ name: 'node_identities_of_known_node', columns: [t.nodeId], foreignColumns: [nodes.nodeId] }),
    index('node_identities_by_node').on(t.nodeId),
  ],
)

export const openSpaces = pgTable(
  'open_spaces',
  {
    spaceId: text('space_id').notNull(),
    name: text('name').notNull(),
    /** JSON text of an array of strings, in first-seen order; it only grows. */
    tags: text('tags').notNull(),
    createdAt: text('created_at').notNull(),
  },
  (t) => [primaryKey({ name: 'open_spaces_id_once', columns: [t.spaceId] }), unique('open_spaces_name_once').on(t.name), index('open_spaces_by_name').on(t.name)],
)

/** Nodes that have entered an open Space, with what they declared there. */
export const spaceNodes = pgTable(
  'space_nodes',
  { spaceId: text('space_id').notNull(), nodeId: text('node_id').notNull(), description: text('description').notNull() },
  (t) => [primaryKey({ name: 'space_nodes_once', columns: [t.spaceId, t.nodeId] }), index('space_nodes_by_node').on(t.nodeId)],
)

/**
 * The order in which Messages of all open Spaces were committed: the row is locked from the moment a position is taken until
 * the commit, so that no reader can meet a later position first.
 */
export const openHead = pgTable('open_head', { id: integer('id').notNull(), position: whole('position').notNull() }, (t) => [
  primaryKey({ name: 'open_head_id_once', columns: [t.id] }),
  check('open_head_is_one_row', sql`${t.id} = 1`),
])

/** How much each Node has written to open Spaces: for its quota alone, and counted in the statement that writes. */
export const openVolumes = pgTable('open_volumes', { nodeId: text('node_id').notNull(), messages: whole('messages').notNull(), bytes: whole('bytes').notNull() }, (t) => [
  primaryKey({ name: 'open_volumes_one_per_node', columns: [t.nodeId] }),
])

/** Index over the Messages of open Spaces. */
export const openMessages = pgTable(
  'open_messages',
  {
    spaceId: text('space_id').notNull(),
    sequence: whole('sequence').notNull(),
    position: whole('position').notNull(),
    senderId: text('sender_id').notNull(),
    /** Neither Messages nor Nodes are named: a root, and addressed to everybody. */
    isBroadcast: boolean('is_broadcast').notNull(),
    contentType: text('content_type'),
  },
  (t) => [
    primaryKey({ name: 'open_messages_once', columns: [t.spaceId, t.sequence] }),
    unique('open_messages_position_once').on(t.position),
    index('open_messages_by_sender').on(t.senderId, t.position),
    index('open_messages_of_sender').on(t.spaceId, t.senderId, t.position),
    index('open_messages_broadcasts').on(t.spaceId, t.position).where(sql`${t.isBroadcast}`),
  ],
)

/** Which Nodes a Message names. */
export const openMessageNodes = pgTable(
  'open_message_nodes',
  { spaceId: text('space_id').notNull(), sequence: whole('sequence').notNull(), nodeId: text('node_id').notNull(), position: whole('position').notNull() },
  (t) => [
    primaryKey({ name: 'open_message_nodes_once', columns: [t.spaceId, t.sequence, t.nodeId] }),
    index('open_message_nodes_by_node').on(t.nodeId, t.position),
    index('open_message_nodes_in_space').on(t.spaceId, t.nodeId, t.position),
  ],
)

// Doors whose peers hold no key: what they show instead, and the keys that the server holds for them.

/** Good for enrolling Nodes and nothing else; what is kept is a hash. */
export const accessKeys = pgTable(
  'access_keys',
  {
    accessKeyId: text('access_key_id').notNull(),
    keyHash: text('key_hash').notNull(),
    label: text('label').notNull(),
    createdAt: text('created_at').notNull(),
    expiresAt: text('expires_at'),
    revokedAt: text('revoked_at'),
  },
  (t) => [primaryKey({ name: 'access_keys_id_once', columns: [t.accessKeyId] }), unique('access_keys_hash_once').on(t.keyHash)],
)

/** Bearer tokens, each of one Principal and for the doors that it names; what is kept is a hash. */
export const doorTokens = pgTable(
  'door_tokens',
  {
    tokenId: text('token_id').notNull(),
    tokenHash: text('token_hash').notNull(),
    principalId: text('principal_id').notNull(),
    /** Names of doors, separated by blanks. */
    doors: text('doors').notNull(),
    label: text('label').notNull(),
    createdAt: text('created_at').notNull(),
    expiresAt: text('expires_at'),
    revokedAt: text('revoked_at'),
  },
  (t) => [
    primaryKey({ name: 'door_tokens_id_once', columns: [t.tokenId] }),
    unique('door_tokens_hash_once').on(t.tokenHash),
    index('door_tokens_by_principal').on(t.principalId),
  ],
)

/** Private keys of Agents that hold none themselves, sealed under the Organization's own secret. */
export const custodialKeys = pgTable(
  'custodial_keys',
  { principalId: text('principal_id').notNull(), keyId: text('key_id').notNull(), sealed: bytea('sealed').notNull() },
  (t) => [primaryKey({ name: 'custodial_keys_one_per_principal', columns: [t.principalId] })],
)

// The Inter-Agent Protocol's router.

/** Which negotiations there are; each is folded from its records. */
export const iapTasks = pgTable(
  'iap_tasks',
  {
    taskId: text('task_id').notNull(),
    spaceId: text('space_id').notNull(),
    proposerId: text('proposer_id').notNull(),
    status: text('status').notNull(),
    isOver: boolean('is_over').notNull(),
    cacheKey: text('cache_key'),
    /** JSON text: the WorkItem of a Mission that the task is done for. */
    work: text('work'),
    isWorkOver: boolean('is_work_over').notNull().default(false),
    /** Of its records. */
    bytes: whole('bytes').notNull().default(0),
    endedAt: text('ended_at'),
  },
  (t) => [primaryKey({ name: 'iap_tasks_id_once', columns: [t.taskId] }), index('iap_tasks_ended').on(t.proposerId, t.endedAt).where(sql`${t.endedAt} is not null`), index('iap_tasks_going_on').on(t.taskId).where(sql`not ${t.isOver}`), index('iap_tasks_at_work').on(t.taskId).where(sql`${t.work} is not null and not ${t.isWorkOver}`)],
)

/**
 * What was decided about each task, in the transaction that decided it. From here it goes into the task's Space, where `messageId` is
 * the Message that says the same. The key decides between nodes, as that of the log does.
 */
export const iapRecords = pgTable(
  'iap_records',
  { taskId: text('task_id').notNull(), ordinal: whole('ordinal').notNull(), record: text('record').notNull(), messageId: text('message_id') },
  (t) => [primaryKey({ name: 'iap_records_ordinal_once', columns: [t.taskId, t.ordinal] }), index('iap_records_unpublished').on(t.taskId).where(sql`${t.messageId} is null`)],
)

/** How each agent did with each of its capabilities, counted from the records. */
export const iapAccounts = pgTable(
  'iap_accounts',
  { agentId: text('agent_id').notNull(), capabilityId: text('capability_id').notNull(), record: text('record').notNull() },
  (t) => [primaryKey({ name: 'iap_accounts_capability_once', columns: [t.agentId, t.capabilityId] })],
)

/** Messages for Agents, kept until the Agent has been seen to have them. */
export const iapOutbox = pgTable(
  'iap_outbox',
  {
    agentId: text('agent_id').notNull(),
    entry: whole('entry').generatedAlwaysAsIdentity(),
    messageId: text('message_id').notNull(),
    message: text('message').notNull(),
    createdAt: text('created_at').notNull(),
  },
  (t) => [primaryKey({ name: 'iap_outbox_entry_once', columns: [t.agentId, t.entry] }), unique('iap_outbox_message_once').on(t.agentId, t.messageId)],
)

/** Messages that Agents have sent, with what they were answered: the same again gets the same answer. */
export const iapReceived = pgTable(
  'iap_received',
  {
    agentId: text('agent_id').notNull(),
    messageId: text('message_id').notNull(),
    contentHash: text('content_hash').notNull(),
    /** JSON text of an array of messages. */
    answers: text('answers').notNull(),
    receivedAt: text('received_at').notNull(),
  },
  (t) => [primaryKey({ name: 'iap_received_once', columns: [t.agentId, t.messageId] }), index('iap_received_by_age').on(t.agentId, t.receivedAt)],
)

/** Results that may answer a like task again, by a key over capability, description and input. */
export const iapCache = pgTable(
  'iap_cache',
  { cacheKey: text('cache_key').notNull(), result: text('result').notNull(), taskId: text('task_id').notNull(), storedAt: text('stored_at').notNull() },
  (t) => [primaryKey({ name: 'iap_cache_key_once', columns: [t.cacheKey] })],
)
