// Nodes and who they are elsewhere, in PostgreSQL. The named constraints arbitrate between simultaneous registrations.
import type { SQL } from 'drizzle-orm'
import { and, asc, eq, inArray, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { nodeIdentities, nodes, principals } from '../../drizzle/schema.ts'
import type { NodeIdentity, NodeKey, NodeRecord, OpenSpaceStore, PrincipalRecord } from '../service/ports.ts'

type NodeStore = Pick<OpenSpaceStore, 'findNodes' | 'listNodes' | 'addNode' | 'changeNode' | 'removeIdentity'>
type Reader = Pick<PostgresJsDatabase, 'select'>
type Writer = Pick<PostgresJsDatabase, 'insert' | 'select' | 'update'>
type NodeRow = typeof nodes.$inferSelect

/** Bytes of what a Node shows, give or take a few names. */
export const sizeOfNode = text<number>`(200 + octet_length(nodes.description) + octet_length(nodes.meta)
  + coalesce((select sum(200 + octet_length(i.namespace) + octet_length(i.subject) + coalesce(octet_length(i.claims), 0)) from node_identities as i where i.node_id = nodes.node_id), 0))::bigint`

const inOrder = [asc(nodes.name), asc(nodes.nodeId)]

export function createNodeStore(database: PostgresJsDatabase): NodeStore {
  return {
    async findNodes(key) {
      return recordsOf(database, await database.select().from(nodes).where(matching(database, key)))
    },
    async listNodes({ after, limit, maximumBytes }) {
      const behind = after === undefined ? undefined : text`(${nodes.name}, ${nodes.nodeId}) > (select a.name, a.node_id from nodes as a where a.node_id = ${after})`
      const rows = await database.select({ nodeId: nodes.nodeId, size: sizeOfNode }).from(nodes).where(behind).orderBy(...inOrder).limit(limit)
      return nodesInOrder(database, within(rows, maximumBytes).map(({ nodeId }) => nodeId))
    },
    addNode: (node, principal) => whole(database, 'added', (transaction) => addNode(transaction, node, principal)),
    changeNode(nodeId, { identities = [], ...change }) {
      return whole(database, 'changed', async (transaction) => {
        if (Object.keys(change).length > 0) await transaction.update(nodes).set(change).where(eq(nodes.nodeId, nodeId))
        await putIdentities(transaction, nodeId, identities)
      })
    },
    async removeIdentity(nodeId, pair) {
      await database.delete(nodeIdentities).where(and(isPair(pair), eq(nodeIdentities.nodeId, nodeId)))
    },
  }
}

/** Those up to the one that brings them to so many bytes. */
export function within<T extends { readonly size: number }>(rows: readonly T[], maximumBytes: number): readonly T[] {
  let before = 0
  return rows.filter(({ size }) => (before += size) - size < maximumBytes)
}

export async function nodesInOrder(database: Reader, nodeIds: readonly string[]): Promise<readonly NodeRecord[]> {
  const found = await recordsOf(database, await database.select().from(nodes).where(inIds(nodes.nodeId, nodeIds)))
  const byId = new Map(found.map((node) => [node.nodeId, node]))
  return nodeIds.flatMap((nodeId) => byId.get(nodeId) ?? [])
}

/** Rows with their identities, in the same order. */
async function recordsOf(database: Reader, rows: readonly NodeRow[]): Promise<readonly NodeRecord[]> {
  if (rows.length === 0) return []
  const bound = await database
    .select()
    .from(nodeIdentities)
    .where(inIds(nodeIdentities.nodeId, rows.map((row) => row.nodeId)))
    .orderBy(asc(nodeIdentities.namespace), asc(nodeIdentities.subject))
  return rows.map(({ claimedName, accessKeyId, ...row }) => ({
    ...row,
    ...(claimedName !== null && { claimedName }),
    ...(accessKeyId !== null && { accessKeyId }),
    identities: bound.filter(({ nodeId }) => nodeId === row.nodeId).map(({ namespace, subject, claims }): NodeIdentity => ({ namespace, subject, ...(claims !== null && { claims }) })),
  }))
}

const inIds = (column: typeof nodes.nodeId | typeof nodeIdentities.nodeId, ids: readonly string[]) => text`${column} = any(${text.param([...ids])}::text[])`
const isPair = ({ namespace, subject }: Pick<NodeIdentity, 'namespace' | 'subject'>) => and(eq(nodeIdentities.namespace, namespace), eq(nodeIdentities.subject, subject))

function matching(database: Reader, key: NodeKey): SQL | undefined {
  if ('nodeIds' in key) return inIds(nodes.nodeId, key.nodeIds)
  if ('principalId' in key) return eq(nodes.principalId, key.principalId)
  if ('claimedName' in key) return eq(nodes.claimedName, key.claimedName)
  const pairs = key.identities.map(({ namespace, subject }) => text`(${namespace}, ${subject})`)
  const bound = database.select({ nodeId: nodeIdentities.nodeId }).from(nodeIdentities).where(text`(${nodeIdentities.namespace}, ${nodeIdentities.subject}) in (${text.join(pairs, text`, `)})`)
  return inArray(nodes.nodeId, bound)
}

/** Thrown inside a transaction to undo it. */
class Taken extends Error {
  override readonly name = 'Taken'
}

async function whole<T extends string>(database: PostgresJsDatabase, done: T, write: (transaction: Writer) => Promise<void>): Promise<T | 'taken'> {
  try {
    await database.transaction(write)
    return done
  } catch (cause) {
    if (cause instanceof Taken) return 'taken'
    throw cause
  }
}

async function addNode(transaction: Writer, { identities, ...node }: NodeRecord, principal: PrincipalRecord | undefined): Promise<void> {
  const added = await transaction.insert(nodes).values(node).onConflictDoNothing().returning({ nodeId: nodes.nodeId })
  if (added.length === 0) throw new Taken()
  await putIdentities(transaction, node.nodeId, identities)
  if (principal === undefined) return
  const { principal: { id, type }, ...record } = principal
  await transaction.insert(principals).values({ ...record, principalId: id, principalType: type })
}

/** In one order everywhere: rivals that hold each other's first pair would wait for each other. */
async function putIdentities(transaction: Writer, nodeId: string, identities: readonly NodeIdentity[]): Promise<void> {
  const ordered = [...identities].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  for (const { namespace, subject, claims = null } of ordered) {
    const kept = await transaction
      .insert(nodeIdentities)
      .values({ namespace, subject, nodeId, claims })
      .onConflictDoUpdate({ target: [nodeIdentities.namespace, nodeIdentities.subject], set: { claims }, setWhere: eq(nodeIdentities.nodeId, nodeId) })
      .returning({ nodeId: nodeIdentities.nodeId })
    if (kept.length === 0) throw new Taken()
  }
}

const keyOf = ({ namespace, subject }: NodeIdentity) => JSON.stringify([namespace, subject])
