// Holds an open Space against its own bytes: its Messages in their places, and everything that is an index over them. They carry
// no signatures (decision 0101): that nobody has changed a Message is for the database to promise.
import { encodeRows } from '../../authority/read-model-rows.ts'
import type { GraphEdgeRow, GraphNodeRow } from '../../authority/read-models.ts'
import type { LogEntry, MessageIndex, OpenSpaceStore, ReadModels, SpaceLog } from '../ports.ts'
import type { SpaceReport } from '../verify-log.ts'
import { decodeMessage } from './message-json.ts'

const pageSize = 500
/** A Space that grows while it is read is read again this often. */
const maximumReadings = 5

export interface OpenEvidence {
  readonly log: Pick<SpaceLog, 'head' | 'read' | 'listSpaces'>
  readonly readModels: Pick<ReadModels, 'dump'>
  readonly openSpaces: Pick<OpenSpaceStore, 'indexAfter'>
}

/** Verifies every open Space, one after another. */
export async function verifyOpenSpaces(evidence: OpenEvidence): Promise<readonly SpaceReport[]> {
  const reports: SpaceReport[] = []
  for (const spaceId of await evidence.log.listSpaces('open')) reports.push(await verifyOpenSpace(evidence, spaceId))
  return reports
}

async function verifyOpenSpace(evidence: OpenEvidence, spaceId: string): Promise<SpaceReport> {
  for (let reading = 1; ; reading++) {
    const head = await evidence.log.head(spaceId)
    const report = await new Reading(evidence, spaceId).run(head)
    if ((await evidence.log.head(spaceId)) === head || reading === maximumReadings) return report
  }
}

class Reading {
  readonly #evidence: OpenEvidence
  readonly #spaceId: string
  readonly #differences: string[] = []
  readonly #sequences = new Map<string, number>()
  readonly #nodes: GraphNodeRow[] = []
  readonly #edges: GraphEdgeRow[] = []
  #position = 0

  constructor(evidence: OpenEvidence, spaceId: string) {
    this.#evidence = evidence
    this.#spaceId = spaceId
  }

  async run(head: number): Promise<SpaceReport> {
    const { log, openSpaces, readModels } = this.#evidence
    while (this.#nodes.length < head && this.#differences.length === 0) {
      const limit = Math.min(pageSize, head - this.#nodes.length)
      const after = this.#nodes.length
      const [entries, index] = [await log.read(this.#spaceId, after, limit), await openSpaces.indexAfter(this.#spaceId, after, limit)]
      if (entries.length === 0) this.#differs(`the log ends at ${after}, before its head ${head}`)
      entries.forEach((entry, place) => this.#read(entry, index[place]))
    }
    if (this.#differences.length === 0) {
      const expected = encodeRows({ memberships: [], nodes: this.#nodes, edges: this.#edges, artifacts: [], executions: [] })
      if ((await readModels.dump(this.#spaceId)) !== expected) this.#differs('the graph differs from what the Messages refer to')
    }
    return { spaceId: this.#spaceId, events: 0, commands: 0, messages: this.#nodes.length, differences: this.#differences }
  }

  #read(entry: LogEntry, index: MessageIndex | undefined): void {
    if (this.#differences.length > 0) return
    const { sequence } = entry
    if (sequence !== this.#nodes.length + 1 || entry.kind !== 'open.message') return this.#differs(`Message ${sequence} is not in its place`)
    const message = factsOf(entry)
    if (message?.messageId !== entry.eventId || message.spaceId !== this.#spaceId) return this.#differs(`the index of Message ${sequence} names another`)
    const parents = new Set(message.messages.map((messageId) => this.#sequences.get(messageId)))
    const expected = [sequence, message.senderId, message.isBroadcast, message.contentType, [...new Set(message.nodes)].sort()]
    const found = index && [index.sequence, index.senderId, index.isBroadcast, index.contentType, index.nodes]
    if (JSON.stringify(found) !== JSON.stringify(expected)) return this.#differs(`the index of Message ${sequence} differs from its bytes`)
    if (index!.position <= this.#position) return this.#differs(`Message ${sequence} stands before an older one in the order of commit`)
    this.#position = index!.position
    this.#sequences.set(entry.eventId, sequence)
    this.#nodes.push({ sequence, kind: 'open.message' })
    for (const parent of parents) {
      if (parent === undefined) return this.#differs(`Message ${sequence} refers to one that is not before it`)
      this.#edges.push({ child: sequence, parent, provenance: 'reply' })
    }
  }

  #differs(difference: string): void {
    this.#differences.push(difference)
  }
}

function factsOf({ bytes }: LogEntry): ReturnType<typeof decodeMessage> | undefined {
  try {
    return decodeMessage(bytes)
  } catch {
    return undefined
  }
}
