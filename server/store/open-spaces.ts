import { and, asc, count, eq, gt, inArray, ne, sql as text } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { nodes, openSpaces, spaceNodes, spaces } from '../../drizzle/schema.ts'
import type { OpenSpaceStore, SpaceEntry, SpaceRecord } from '../service/ports.ts'
import type { Sql } from './connect.ts'
import { appendMessages } from './open-append.ts'
import { createNodeStore, nodesInOrder, sizeOfNode, within } from './open-nodes.ts'
import { createOpenReads } from './open-reads.ts'

/** Open Spaces, their Nodes and Messages in PostgreSQL. */
export function createOpenSpaceStore(sql: Sql, database: PostgresJsDatabase): OpenSpaceStore {
  return {
    append: (messages) => appendMessages(sql, messages),
    ...createOpenReads(sql),
    ...createNodeStore(database),
    ...createSpaceStore(database),
  }
}

type SpaceStore = Pick<OpenSpaceStore, 'enter' | 'findSpace' | 'listSpaces' | 'members' | 'memberCounts'>

const spaceColumns = { spaceId: openSpaces.spaceId, name: openSpaces.name, tags: openSpaces.tags, head: spaces.head }
const spaceRecord = ({ tags, ...row }: { spaceId: string; name: string; tags: string; head: number }): SpaceRecord => ({ ...row, tags: JSON.parse(tags) as string[] })

function createSpaceStore(database: PostgresJsDatabase): SpaceStore {
  const select = () => database.select(spaceColumns).from(openSpaces).innerJoin(spaces, eq(spaces.spaceId, openSpaces.spaceId))
  return {
    enter: (entry) => database.transaction((transaction) => enter(transaction, entry)),
    async findSpace(by) {
      const [row] = await select().where('spaceId' in by ? eq(openSpaces.spaceId, by.spaceId) : eq(openSpaces.name, by.name))
      return row && spaceRecord(row)
    },
    async listSpaces({ after, limit, nodeId }) {
      const entered = nodeId === undefined ? undefined : inArray(openSpaces.spaceId, database.select({ spaceId: spaceNodes.spaceId }).from(spaceNodes).where(eq(spaceNodes.nodeId, nodeId)))
      const behind = after === undefined ? undefined : gt(openSpaces.name, after)
      const rows = await select().where(and(entered, behind)).orderBy(asc(openSpaces.name)).limit(limit)
      return rows.map(spaceRecord)
    },
    memberCounts: (spaceIds, nodeId) =>
      database
        .select({ spaceId: spaceNodes.spaceId, count: count(), hasEntered: text<boolean>`bool_or(${spaceNodes.nodeId} = ${nodeId})` })
        .from(spaceNodes)
        .where(inArray(spaceNodes.spaceId, [...spaceIds]))
        .groupBy(spaceNodes.spaceId),
    async members(spaceIds, { limit, maximumBytes }) {
      const found = database
        .select({ nodeId: nodes.nodeId, name: nodes.name, declared: spaceNodes.description, size: text<number>`${sizeOfNode} + octet_length(${spaceNodes.description})`.as('size') })
        .from(spaceNodes)
        .innerJoin(nodes, eq(nodes.nodeId, spaceNodes.nodeId))
        .where(eq(spaceNodes.spaceId, text`wanted.space_id`))
        .orderBy(asc(nodes.name), asc(nodes.nodeId))
        .limit(limit + 1)
        .as('found')
      const rows = await database
        .select({ spaceId: text<string>`wanted.space_id`, nodeId: found.nodeId, declared: found.declared, size: found.size })
        .from(text`unnest(${text.param([...spaceIds])}::text[]) with ordinality as wanted(space_id, place)`)
        .crossJoinLateral(found)
        .orderBy(text`wanted.place`, asc(found.name), asc(found.nodeId))
        .limit(limit + 1)
      const kept = within(rows.slice(0, limit), maximumBytes)
      const records = await nodesInOrder(database, kept.map(({ nodeId }) => nodeId))
      return { members: kept.map(({ spaceId, declared }, index) => ({ spaceId, node: records[index]!, description: declared })), isCut: kept.length < rows.length }
    },
  }
}

type Transaction = Pick<PostgresJsDatabase, 'insert' | 'select' | 'update'>

async function enter(transaction: Transaction, { spaceId: newId, name, tags, maximumTags, maximumSpaces, nodeId, description, at }: SpaceEntry): ReturnType<SpaceStore['enter']> {
  const others = transaction.select({ spaceId: spaceNodes.spaceId }).from(spaceNodes).innerJoin(openSpaces, eq(openSpaces.spaceId, spaceNodes.spaceId)).where(and(eq(spaceNodes.nodeId, nodeId), ne(openSpaces.name, name))).limit(maximumSpaces)
  const [entered] = await transaction.select({ others: count() }).from(others.as('others'))
  if (entered!.others >= maximumSpaces) return 'too-many-spaces'
  const founded = await transaction.insert(openSpaces).values({ spaceId: newId, name, tags: '[]', createdAt: at }).onConflictDoNothing({ target: openSpaces.name }).returning({ spaceId: openSpaces.spaceId })
  if (founded.length > 0) await transaction.insert(spaces).values({ spaceId: newId, kind: 'open', head: 0 })
  const [space] = await transaction.select().from(openSpaces).where(eq(openSpaces.name, name)).for('update')
  const { spaceId } = space!
  const known = JSON.parse(space!.tags) as string[]
  const merged = [...new Set([...known, ...tags])]
  if (merged.length > known.length) {
    if (merged.length > maximumTags) return 'too-many-tags'
    await transaction.update(openSpaces).set({ tags: JSON.stringify(merged) }).where(eq(openSpaces.spaceId, spaceId))
  }
  await transaction
    .insert(spaceNodes)
    .values({ spaceId, nodeId, description })
    .onConflictDoUpdate({ target: [spaceNodes.spaceId, spaceNodes.nodeId], set: { description } })
  return { spaceId }
}
