import type { SQL } from 'drizzle-orm'
import { and, desc, eq, gt, inArray, lt, lte, ne, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { artifactRefs, executions, graphEdges, log, memberships, missions, spaces } from '../../drizzle/schema.ts'
import type { EdgeProvenance, GraphEdgeRow, GraphNodeRow, ReadModelRows } from '../authority/read-models.ts'
import { encodeRows } from '../authority/read-model-rows.ts'
import type { ReadModels } from '../service/ports.ts'

const { placeholder } = text

/** Queries over the read models in PostgreSQL. */
export function createReadModels(database: PostgresJsDatabase): ReadModels {
  const queries = prepareQueries(database)
  return {
    missionsOf: async (memberId) => (await queries.missionsOf.execute({ memberId })).sort(bySpace),
    missionById: async (missionId) => (await queries.missionById.execute({ missionId }))[0],
    membershipsOf: async (memberId) => (await queries.membershipsOf.execute({ memberId })).sort(bySpace),
    async spacesWithActiveLease(agentId) {
      return spaceIds(await queries.activeLeases.execute({ agentId }))
    },
    async messageSequences(spaceId, { conversationId, before = Number.MAX_SAFE_INTEGER, limit }) {
      const query = conversationId === undefined ? queries.messages : queries.messagesOfConversation
      const rows = await query.execute({ spaceId, before, limit, ...(conversationId !== undefined && { conversationId }) })
      return rows.map((row) => row.sequence)
    },
    async graphNodes(spaceId, { before = Number.MAX_SAFE_INTEGER, limit }) {
      return (await queries.nodes.execute({ spaceId, before, limit })).map(graphNode)
    },
    async graphEdges(spaceId, children) {
      return (await queries.edges.execute({ spaceId, children })) as readonly GraphEdgeRow[]
    },
    async talkEdges(spaceId, range) {
      const rows = (await queries.talkEdges.execute({ spaceId, ...range })) as readonly GraphEdgeRow[]
      // The last child may have more.
      return rows.length < range.limit ? rows : rows.filter((row) => row.child < rows.at(-1)!.child)
    },
    async concerning(spaceId, { memberId, introducedAt, visibleFrom, withheld }, range) {
      const query = 'after' in range ? queries.concerningAfter : queries.concerningBefore
      const rows = await query.execute({ spaceId, memberId, introducedAt, visibleFrom, withheld, ...range })
      return rows.map((row) => row.sequence).sort((a, b) => a - b)
    },
    async spacesOfArtifact(contentHash) {
      return spaceIds(await queries.spacesOfArtifact.execute({ contentHash }))
    },
    dump: async (spaceId) => encodeRows(await allRows(database, spaceId)),
  }
}

// Sorted here because a database may be set up to order text by the rules of some language.
const bySpace = (a: { spaceId: string }, b: { spaceId: string }) => (a.spaceId < b.spaceId ? -1 : 1)
const spaceIds = (rows: readonly { spaceId: string }[]) => [...new Set(rows.map((row) => row.spaceId))].sort()

const edgeColumns = { child: graphEdges.child, parent: graphEdges.parent, provenance: graphEdges.provenance }
const nodeColumns = {
  sequence: log.sequence,
  kind: log.kind,
  conversationId: log.conversationId,
  workItemId: log.workItemId,
}

function graphNode({ sequence, kind, conversationId, workItemId }: Record<'conversationId' | 'workItemId', string | null> & { sequence: number; kind: string }): GraphNodeRow {
  return { sequence, kind, ...(conversationId !== null && { conversationId }), ...(workItemId !== null && { workItemId }) }
}

function prepareQueries(database: PostgresJsDatabase) {
  const newestMessages = (filter?: SQL) =>
    database
      .select({ sequence: log.sequence })
      .from(log)
      .where(and(eq(log.spaceId, placeholder('spaceId')), text`${log.kind} = 'message.posted'`, lt(log.sequence, placeholder('before')), filter))
      .orderBy(desc(log.sequence))
      .limit(placeholder('limit'))
  // The first column is bound as one of a list, which leaves it in the order (decision 0152); each look-up is one for one row.
  const inOrder = (table: typeof graphEdges | typeof log) => text`${table.spaceId} = any(array[${placeholder('spaceId')}])`
  const concerns = and(
    inOrder(log),
    text`coalesce((select r.actor_id from receipts as r where r.space_id = log.space_id and r.sequence = log.sequence), '') <> ${placeholder('memberId')}`,
    text`(${log.sequence} = any(${placeholder('withheld')}::bigint[])
      or (select true from graph_edges as e where e.space_id = log.space_id and e.child = log.sequence and e.provenance = 'mention' and e.parent = ${placeholder('introducedAt')} limit 1)
      or (select true from graph_edges as e where e.space_id = log.space_id and e.child = log.sequence
        and (e.provenance = 'mention' or (e.provenance in ('reply', 'target') and log.kind like 'message.%' and e.parent >= ${placeholder('visibleFrom')})) limit 1) is null)`,
  )
  return {
    talkEdges: database
      .select(edgeColumns)
      .from(graphEdges)
      .where(
        and(
          inOrder(graphEdges),
          gt(graphEdges.child, placeholder('after')),
          lte(graphEdges.child, placeholder('through')),
          text`(${graphEdges.provenance} = 'reply' or (${graphEdges.provenance} = 'target'
            and (select n.kind from log as n where n.space_id = graph_edges.space_id and n.sequence = graph_edges.child) like 'message.%'))`,
        ),
      )
      .orderBy(graphEdges.spaceId, graphEdges.child, graphEdges.parent, graphEdges.provenance)
      .limit(placeholder('limit'))
      .prepare('talk_edges'),
    concerningAfter: database
      .select({ sequence: log.sequence })
      .from(log)
      .where(and(concerns, gt(log.sequence, placeholder('after'))))
      .orderBy(log.spaceId, log.sequence)
      .limit(placeholder('limit'))
      .prepare('concerning_after'),
    concerningBefore: database
      .select({ sequence: log.sequence })
      .from(log)
      .where(and(concerns, lt(log.sequence, placeholder('before'))))
      .orderBy(desc(log.spaceId), desc(log.sequence))
      .limit(placeholder('limit'))
      .prepare('concerning_before'),
    // A person or Agent whose Membership ended sees nothing of the Mission any more.
    missionsOf: database
      .select({
        spaceId: missions.spaceId,
        missionId: missions.missionId,
        title: missions.title,
        state: missions.state,
        ownerId: missions.ownerId,
        head: spaces.head,
      })
      .from(missions)
      .innerJoin(spaces, eq(spaces.spaceId, missions.spaceId))
      .innerJoin(memberships, eq(memberships.spaceId, missions.spaceId))
      .where(and(eq(memberships.memberId, placeholder('memberId')), ne(memberships.state, 'ended')))
      .prepare('missions_of'),
    missionById: database.select().from(missions).where(eq(missions.missionId, placeholder('missionId'))).prepare('mission_by_id'),
    membershipsOf: database
      .select()
      .from(memberships)
      .where(eq(memberships.memberId, placeholder('memberId')))
      .prepare('memberships_of'),
    activeLeases: database
      .select({ spaceId: executions.spaceId })
      .from(executions)
      .where(eq(executions.holderAgentId, placeholder('agentId')))
      .prepare('active_leases'),
    messages: newestMessages().prepare('messages'),
    messagesOfConversation: newestMessages(eq(log.conversationId, placeholder('conversationId'))).prepare('messages_of_conversation'),
    nodes: database
      .select(nodeColumns)
      .from(log)
      .where(and(eq(log.spaceId, placeholder('spaceId')), lt(log.sequence, placeholder('before'))))
      .orderBy(desc(log.sequence))
      .limit(placeholder('limit'))
      .prepare('nodes'),
    edges: database
      .select(edgeColumns)
      .from(graphEdges)
      // In no order: for the order's sake the planner would walk through the whole Space.
      .where(and(eq(graphEdges.spaceId, placeholder('spaceId')), text`${graphEdges.child} = any(${placeholder('children')}::bigint[])`))
      .prepare('edges'),
    spacesOfArtifact: database
      .select({ spaceId: artifactRefs.spaceId })
      .from(artifactRefs)
      .where(eq(artifactRefs.contentHash, placeholder('contentHash')))
      .prepare('spaces_of_artifact'),
  }
}

/** All rows of a Space at one moment. */
function allRows(database: PostgresJsDatabase, spaceId: string): Promise<ReadModelRows> {
  return database.transaction(
    async (snapshot): Promise<ReadModelRows> => {
      const [mission] = await snapshot.select().from(missions).where(eq(missions.spaceId, spaceId))
      const [space] = await snapshot.select({ kind: spaces.kind }).from(spaces).where(and(eq(spaces.spaceId, spaceId), inArray(spaces.kind, ['mission', 'open'])))
      // What the Organization and its policy record is no graph.
      const nodes = space ? await snapshot.select(nodeColumns).from(log).where(eq(log.spaceId, spaceId)) : []
      const edges = await snapshot.select(edgeColumns).from(graphEdges).where(eq(graphEdges.spaceId, spaceId))
      return {
        ...(mission && { mission }),
        memberships: await snapshot.select().from(memberships).where(eq(memberships.spaceId, spaceId)),
        nodes: nodes.map(graphNode),
        edges: edges.map((edge) => ({ ...edge, provenance: edge.provenance as EdgeProvenance })),
        artifacts: withoutSpace(await snapshot.select().from(artifactRefs).where(eq(artifactRefs.spaceId, spaceId))),
        executions: withoutSpace(await snapshot.select().from(executions).where(eq(executions.spaceId, spaceId))),
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

function withoutSpace<T extends { spaceId: string }>(rows: readonly T[]): Omit<T, 'spaceId'>[] {
  return rows.map(({ spaceId: _spaceId, ...row }) => row)
}
