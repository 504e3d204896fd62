import { invariant } from '../../protocol/result.ts'
import type { FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import type { ArtifactRow, ExecutionRow, GraphEdgeRow, GraphNodeRow, MembershipRow, MissionRow, ReadModelRows } from '../authority/read-models.ts'
import { encodeRows, latestRows } from '../authority/read-model-rows.ts'
import type { Ruling } from '../authority/policy-ruling.ts'
import { storableText } from '../authority/storable-text.ts'
import { requireDocument } from '../store/documents-text.ts'
import type { AppendBatch, AppendOutcome, CommandReceipt, KeptRuling, LogEntry, PendingReaction, ReactionKey, ReadModels, RulingStore, SpaceKind, SpaceLog } from '../service/ports.ts'

type Conflict = Extract<AppendOutcome, { ok: false }>['conflict']
type Key = string | number

export class Space {
  readonly entries: LogEntry[] = []
  mission: MissionRow | undefined
  readonly memberships = new Map<Key, MembershipRow>()
  readonly nodes = new Map<Key, GraphNodeRow>()
  readonly edges = new Map<Key, GraphEdgeRow>()
  readonly artifacts = new Map<Key, ArtifactRow>()
  readonly executions = new Map<Key, ExecutionRow>()

  constructor(
    readonly spaceId: string,
    readonly kind: SpaceKind | 'open',
  ) {}
}

export class Tables {
  readonly spaces = new Map<string, Space>()
  readonly receipts = new Map<string, CommandReceipt>()
  readonly receiptOfEvent = new Map<string, CommandReceipt>()
  readonly admissions = new Map<string, FirstAdmissionRecord>()
  readonly rulings: KeptRuling[] = []
  /** Event ids and record ids ever used. */
  readonly ids = new Set<string>()
  readonly reactions = new Map<string, PendingReaction>()
}

const keyOf = (...parts: readonly Key[]) => JSON.stringify(parts)
const reactionKey = ({ targetSpaceId, eventId }: ReactionKey) => keyOf(targetSpaceId, eventId)
const edgeKey = (row: GraphEdgeRow) => keyOf(row.child, row.parent, row.provenance)
const artifactKey = (row: ArtifactRow) => keyOf(row.sequence, row.artifactId)
const sequenceOf = (row: { sequence: number }) => row.sequence
const byKey = (a: ReactionKey, b: ReactionKey) => (a.targetSpaceId === b.targetSpaceId ? ascending(a.eventId, b.eventId) : ascending(a.targetSpaceId, b.targetSpaceId))
const ascending = (a: string, b: string) => (a < b ? -1 : 1)

/** Logs, receipts, admissions and read models in Maps. */
export function createMemorySpaces(tables = new Tables()): { log: SpaceLog; readModels: ReadModels; rulings: RulingStore } {
  return { log: createLog(tables), readModels: createReadModels(tables.spaces), rulings: createRulings(tables) }
}

function createLog(tables: Tables): SpaceLog {
  const { spaces, receipts, receiptOfEvent, admissions } = tables
  const entriesOf = (spaceId: string) => spaces.get(spaceId)?.entries ?? []
  const receiptOf = (actorId: string, actionId: string) => receipts.get(keyOf(actorId, actionId))
  return {
    append: async (batch) => append(tables, batch),
    async pendingReactions(limit, after) {
      const inOrder = [...tables.reactions.values()].sort(byKey)
      return inOrder.filter((reaction) => after === undefined || byKey(after, reaction) < 0).slice(0, limit)
    },
    dropReactions: async (keys) => keys.forEach((key) => tables.reactions.delete(reactionKey(key))),
    head: async (spaceId) => entriesOf(spaceId).length,
    read: async (spaceId, after, limit) => entriesOf(spaceId).slice(after, after + limit),
    async readAt(spaceId, sequences, maximumBytes = Infinity) {
      let before = 0
      return entriesOf(spaceId).filter(({ sequence, bytes }) => sequences.includes(sequence) && (before += bytes.length) - bytes.length < maximumBytes)
    },
    findReceipt: async (actorId, actionId) => receiptOf(actorId, actionId),
    findReceipts: async (keys) => keys.flatMap((key) => receiptOf(key.actorId, key.actionId) ?? []),
    findReceiptAt: async (spaceId, sequence) => receiptOfEvent.get(keyOf(spaceId, sequence)),
    findAdmission: async (organizationId, signingHash) => admissions.get(keyOf(organizationId, signingHash)),
    findAdmissions: async (organizationId, hashes) => hashes.flatMap((hash) => admissions.get(keyOf(organizationId, hash)) ?? []),
    takenIds: async (spaceIds) => spaceIds.filter((spaceId) => spaces.has(spaceId)),
    listSpaces: async (kind) => [...spaces.values()].flatMap((space) => (space.kind === kind ? [space.spaceId] : [])).sort(ascending),
  }
}

/** Checks everything before it writes anything. */
function append(tables: Tables, { founded = [], settled = [], reactions = [], ...own }: AppendBatch): AppendOutcome {
  const outcomes = [own, ...founded].map((batch) => check(tables, batch))
  const refused = outcomes.find((outcome) => !outcome.ok)
  if (refused) return refused === outcomes[0] || refused.ok || refused.conflict !== 'head' ? refused : { ok: false, conflict: 'space-id' }
  for (const batch of [own, ...founded]) write(tables, batch)
  for (const row of reactions) tables.reactions.set(reactionKey(row), row)
  for (const key of settled) tables.reactions.delete(reactionKey(key))
  return { ok: true }
}

function check(tables: Tables, batch: AppendBatch): AppendOutcome {
  const { spaceId, spaceKind, expectedHead, events } = batch
  const space = tables.spaces.get(spaceId) ?? new Space(spaceId, spaceKind)
  invariant(events.every((event, index) => event.sequence === expectedHead + 1 + index), 'the Events of a batch continue its Space without a gap')
  for (const bytes of [...events.map((event) => event.bytes), ...batch.receipts.map((receipt) => receipt.commandBytes)]) requireDocument(bytes)
  if (space.entries.length !== expectedHead) return { ok: false, conflict: 'head' }
  const conflict = findConflict(tables, batch)
  if (conflict) return { ok: false, conflict }
  requireNewRows(space, latestRows(batch.rows))
  return { ok: true }
}

function write(tables: Tables, batch: AppendBatch): void {
  const { spaceId, spaceKind, events } = batch
  const space = tables.spaces.get(spaceId) ?? new Space(spaceId, spaceKind)
  tables.spaces.set(spaceId, space)
  space.entries.push(...events)
  for (const event of events) tables.ids.add(event.eventId)
  for (const receipt of batch.receipts) {
    tables.receipts.set(keyOf(receipt.actorId, receipt.actionId), receipt)
    tables.receiptOfEvent.set(keyOf(spaceId, receipt.sequence), receipt)
  }
  for (const record of batch.admissions) {
    tables.ids.add(record.admissionRecordId)
    tables.admissions.set(keyOf(record.organizationId, record.signingHash), record)
  }
  for (const ruling of batch.rulings ?? []) addRuling(tables, spaceId, ruling)
  writeRows(space, latestRows(batch.rows))
}

function findConflict({ spaces, ids, receipts, admissions }: Tables, batch: AppendBatch): Conflict | undefined {
  if (!areNew(batch.events.map((event) => event.eventId), ids)) return 'event-id'
  if (!areNew(batch.receipts.map((receipt) => keyOf(receipt.actorId, receipt.actionId)), receipts)) return 'action-id'
  if (!areNew(batch.admissions.map((record) => keyOf(record.organizationId, record.signingHash)), admissions)) return 'admission'
  if (!areNew(batch.admissions.map((record) => record.admissionRecordId), ids)) return 'admission'
  const { mission } = batch.rows
  const isTaken = mission && [...spaces.values()].some((other) => other.spaceId !== batch.spaceId && other.mission?.missionId === mission.missionId)
  return isTaken ? 'mission-id' : undefined
}

function areNew(keys: readonly Key[], known: { has(key: Key): boolean }): boolean {
  return new Set(keys).size === keys.length && !keys.some((key) => known.has(key))
}

/** The rules that only a fault of the fold can break. */
function requireNewRows(space: Space, rows: ReadModelRows): void {
  invariant(areNew(rows.nodes.map(sequenceOf), space.nodes), 'an Event is one node')
  invariant(areNew(rows.edges.map(edgeKey), space.edges), 'an edge exists once')
  invariant(rows.edges.every((row) => row.parent < row.child), 'an edge points back')
  invariant(areNew(rows.artifacts.map(artifactKey), space.artifacts), 'an Event publishes an artifact once')
}

function writeRows(space: Space, rows: ReadModelRows): void {
  space.mission = rows.mission ?? space.mission
  for (const row of rows.memberships) space.memberships.set(row.memberId, row)
  for (const row of rows.nodes) space.nodes.set(row.sequence, row)
  for (const row of rows.edges) space.edges.set(edgeKey(row), row)
  for (const row of rows.artifacts) space.artifacts.set(artifactKey(row), row)
  for (const row of rows.executions) space.executions.set(row.workItemId, row)
}

function addRuling({ rulings }: Tables, spaceId: string, ruling: Ruling): void {
  rulings.push({ ...ruling, reason: storableText(ruling.reason), spaceId, entry: (rulings.at(-1)?.entry ?? 0) + 1 })
}

function createRulings(tables: Tables): RulingStore {
  return {
    add: async (spaceId, ruling) => addRuling(tables, spaceId, ruling),
    async list({ spaceId, outcome, before = Infinity, limit }) {
      const wanted = tables.rulings.filter((ruling) => (spaceId ?? ruling.spaceId) === ruling.spaceId && (outcome ?? ruling.outcome) === ruling.outcome && ruling.entry < before)
      return wanted.reverse().slice(0, limit)
    },
    async forgetRefusals(before) {
      const kept = tables.rulings.filter(({ outcome, at }) => outcome !== 'refused' || at >= before)
      tables.rulings.splice(0, Infinity, ...kept)
    },
  }
}

function createReadModels(spaces: ReadonlyMap<string, Space>): ReadModels {
  const inOrder = () => [...spaces.values()].sort((a, b) => ascending(a.spaceId, b.spaceId))
  const rowsOf = (spaceId: string) => spaces.get(spaceId) ?? new Space(spaceId, 'mission')
  const spaceIdsWhere = (matches: (space: Space) => boolean) => inOrder().flatMap((space) => (matches(space) ? [space.spaceId] : []))
  return {
    async missionsOf(memberId) {
      const isMember = (space: Space) => (space.memberships.get(memberId)?.state ?? 'ended') !== 'ended'
      return inOrder().flatMap((space) => (isMember(space) && space.mission ? { ...space.mission, head: space.entries.length } : []))
    },
    missionById: async (missionId) => inOrder().find((space) => space.mission?.missionId === missionId)?.mission,
    membershipsOf: async (memberId) => inOrder().flatMap((space) => space.memberships.get(memberId) ?? []),
    spacesWithActiveLease: async (agentId) => spaceIdsWhere((space) => some(space.executions, (row) => row.holderAgentId === agentId)),
    async messageSequences(spaceId, { conversationId, ...range }) {
      const isWanted = (row: GraphNodeRow) => row.kind === 'message.posted' && (conversationId === undefined || row.conversationId === conversationId)
      return newest([...rowsOf(spaceId).nodes.values()].filter(isWanted), range).map(sequenceOf)
    },
    graphNodes: async (spaceId, range) => newest([...rowsOf(spaceId).nodes.values()], range),
    async graphEdges(spaceId, children) {
      const edges = [...rowsOf(spaceId).edges.values()].filter((row) => children.includes(row.child))
      return edges.sort((a, b) => a.child - b.child || a.parent - b.parent || ascending(a.provenance, b.provenance))
    },
    async talkEdges(spaceId, { after, through, limit }) {
      const { edges, nodes } = rowsOf(spaceId)
      const ofMessages = new Set([...nodes.values()].filter(({ kind }) => kind.startsWith('message.')).map(sequenceOf))
      const isTalk = ({ child, provenance }: GraphEdgeRow) => provenance === 'reply' || (provenance === 'target' && ofMessages.has(child))
      const rows = [...edges.values()].filter((row) => row.child > after && row.child <= through && isTalk(row)).sort((a, b) => a.child - b.child || a.parent - b.parent).slice(0, limit)
      return rows.length < limit ? rows : rows.filter((row) => row.child < rows.at(-1)!.child)
    },
    // All of them may.
    async concerning(spaceId, _member, range) {
      const all = [...rowsOf(spaceId).nodes.values()].map(sequenceOf).sort((a, b) => a - b)
      return 'after' in range ? all.filter((sequence) => sequence > range.after).slice(0, range.limit) : all.filter((sequence) => sequence < range.before).slice(-range.limit)
    },
    spacesOfArtifact: async (contentHash) => spaceIdsWhere((space) => some(space.artifacts, (row) => row.contentHash === contentHash)),
    async dump(spaceId) {
      const { mission, memberships, nodes, edges, artifacts, executions } = rowsOf(spaceId)
      const list = <T>(rows: ReadonlyMap<Key, T>) => [...rows.values()]
      return encodeRows({
        ...(mission && { mission }),
        memberships: list(memberships),
        nodes: list(nodes),
        edges: list(edges),
        artifacts: list(artifacts),
        executions: list(executions),
      })
    },
  }
}

const some = <T>(rows: ReadonlyMap<Key, T>, matches: (row: T) => boolean) => [...rows.values()].some(matches)

function newest<T extends { sequence: number }>(rows: readonly T[], { before = Infinity, limit }: { before?: number; limit: number }): T[] {
  return rows.filter((row) => row.sequence < before).sort((a, b) => b.sequence - a.sequence).slice(0, limit)
}
