// Reads for the doors. Each asks who reads: what is not theirs does not exist for them.
import { createHash } from 'node:crypto'
import type { Membership } from '../../protocol/generated/types.ts'
import type { GraphEdgeRow, MembershipRow } from '../authority/read-models.ts'
import { isAuditor, isBeyondOffer, seesWhole, withholding } from '../authority/visibility.ts'
import type { Log } from '../log.ts'
import { decodeEntry } from './event-bytes.ts'
import { isArchiveMediaType } from './archive-keeper.ts'
import { isByItsMaker } from './artifact-maker.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { MembershipWatch } from './membership-watch.ts'
import type { ArtifactStore, Clock, DecodedEntry, LogEntry, ReadModels, RulingRange, RulingStore, SpaceLog } from './ports.ts'
import type { Direction } from './open-spaces/types.ts'
import type { ReaderView } from './reader-view.ts'
import type { Reads } from './service.ts'
import type { SpaceActors } from './space-actors.ts'

interface Needs {
  readonly log: Pick<SpaceLog, 'read' | 'readAt' | 'findReceiptAt' | 'listSpaces' | 'head'>
  readonly readModels: ReadModels
  readonly rulings: Pick<RulingStore, 'list'>
  readonly artifacts: Pick<ArtifactStore, 'find' | 'isFrom'>
  readonly actors: SpaceActors
  readonly view: ReaderView
  readonly watch: MembershipWatch
  readonly clock: Clock
  readonly organizationId: string
  readonly diagnostics: Log
}

/** Edges of one query: more than a Message may refer to. */
const edgesPage = 10_000
/** Edges that are walked for what is related to one Event. */
const maximumTalk = 200_000

type Memberships = Awaited<ReturnType<Reads['memberships']>>

export class SpaceReads implements Reads {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async groupFor(principalId: string, groupId: string): ReturnType<Reads['groupFor']> {
    if (groupId === this.#needs.organizationId) return undefined
    const { group: state } = await this.#needs.actors.read(groupId)
    const membership = state?.memberships.get(principalId)
    return state && membership && this.#isInForce(membership) ? { state, membership: rowOf(membership) } : undefined
  }

  async groupsFor(principalId: string, groupIds: readonly string[]): ReturnType<Reads['groupsFor']> {
    const unreadable: string[] = []
    const found = await Promise.all(
      groupIds.map((groupId) =>
        this.groupFor(principalId, groupId).catch((fault: unknown) => {
          this.#needs.diagnostics.error({ err: fault, spaceId: groupId }, 'a Group could not be read and is left out of an answer')
          unreadable.push(groupId)
          return undefined
        }),
      ),
    )
    return { groups: found.filter((group) => group !== undefined), unreadable }
  }

  async groupIdOfMission(missionId: string): Promise<string | undefined> {
    return (await this.#needs.readModels.missionById(missionId))?.spaceId
  }

  async entries(principalId: string, groupId: string, sequences: readonly number[], maximumBytes?: number): Promise<readonly DecodedEntry[]> {
    const start = await this.#visibilityStart(principalId, groupId)
    const visible = start === undefined ? [] : sequences.filter((sequence) => sequence >= start)
    return visible.length === 0 ? [] : this.#shown(principalId, groupId, await this.#needs.log.readAt(groupId, visible, maximumBytes))
  }

  async range(principalId: string, groupId: string, after: number, limit: number): Promise<readonly DecodedEntry[]> {
    const start = await this.#visibilityStart(principalId, groupId)
    return start === undefined ? [] : this.#shown(principalId, groupId, await this.#needs.log.read(groupId, Math.max(after, start - 1), limit))
  }

  async related(principalId: string, groupId: string, sequence: number, direction: Direction): Promise<readonly number[] | undefined> {
    const found = await this.groupFor(principalId, groupId)
    if (!found) return []
    const { state, membership: { visibilityStartSequence: start } } = found
    const isVisible = (at: number) => at >= start && !isBeyondOffer(state, principalId, at)
    const through = direction === 'upstream' ? sequence : state.sequence
    const talk: GraphEdgeRow[] = []
    for (let after = direction === 'downstream' ? sequence : start - 1; ; ) {
      const page = await this.#needs.readModels.talkEdges(groupId, { after, through, limit: edgesPage })
      const last = page.at(-1)
      if (last === undefined) return relatedBy(talk, sequence)
      // What stands in for withheld words refers to nothing but what it amends.
      talk.push(...page.filter(({ child, parent, provenance }) => isVisible(child) && isVisible(parent) && (provenance === 'target' || !withholding(state, principalId, child))))
      if (talk.length > maximumTalk) return undefined
      after = last.child
    }
  }

  async concerning(principalId: string, groupId: string, range: Parameters<Reads['concerning']>[2]): Promise<readonly number[]> {
    const found = await this.groupFor(principalId, groupId)
    if (!found) return []
    const { state, membership: { visibilityStartSequence: visibleFrom } } = found
    const withheld = [...state.confidential.keys(), ...state.redactedBy.keys()].filter((sequence) => withholding(state, principalId, sequence))
    const member = { memberId: principalId, introducedAt: state.sequenceOf.get(principalId) ?? 0, visibleFrom, withheld }
    const from = 'after' in range ? { ...range, after: Math.max(range.after, visibleFrom - 1) } : range
    const sequences = await this.#needs.readModels.concerning(groupId, member, from)
    return sequences.filter((sequence) => sequence >= visibleFrom && !isBeyondOffer(state, principalId, sequence))
  }

  async commandBytes(principalId: string, groupId: string, sequence: number): Promise<Uint8Array | undefined> {
    const found = await this.groupFor(principalId, groupId)
    if (!found || sequence < found.membership.visibilityStartSequence || withholding(found.state, principalId, sequence)) return undefined
    if (isBeyondOffer(found.state, principalId, sequence)) return undefined
    return (await this.#needs.log.findReceiptAt(groupId, sequence))?.commandBytes
  }

  async memberships(principalId: string): Promise<Memberships> {
    const { readModels } = this.#needs
    const [rows, missions] = await Promise.all([readModels.membershipsOf(principalId), readModels.missionsOf(principalId)])
    const heads = new Map(missions.map((mission) => [mission.spaceId, mission.head]))
    // The head of a Group that is no longer theirs is none of their business.
    return { revision: revisionOf(rows), groups: rows.map((row) => ({ ...row, head: heads.get(row.spaceId) ?? 0 })) }
  }

  async membershipsAfter(principalId: string, revision: number, waitMs: number, signal: AbortSignal): Promise<Memberships> {
    const untilMs = performance.now() + waitMs
    for (;;) {
      // Listening begins before the look, so that no change falls between them.
      const cancelled = new AbortController()
      const change = this.#needs.watch.next(principalId, Math.max(0, untilMs - performance.now()), AbortSignal.any([signal, cancelled.signal]))
      try {
        const current = await this.memberships(principalId)
        if (current.revision !== revision || performance.now() >= untilMs) return current
        await change
        if (signal.aborted) return current
      } finally {
        cancelled.abort()
      }
    }
  }

  async rulings(principalId: string, groupId: string, range: RulingRange): ReturnType<Reads['rulings']> {
    const found = await this.groupFor(principalId, groupId)
    return found && isAuditor(found.state, principalId) ? this.#needs.rulings.list({ spaceId: groupId, ...range }) : undefined
  }

  async mayReadArtifact(principalId: string, contentHash: string): Promise<boolean> {
    const { artifacts, readModels } = this.#needs
    const stored = await artifacts.find(contentHash)
    if (await artifacts.isFrom(contentHash, principalId)) return true
    if (stored && isArchiveMediaType(stored.mediaType) && (await this.#mayReadArchive(principalId, stored.uploadedBy, contentHash))) return true
    const spaces = await readModels.spacesOfArtifact(contentHash)
    if (spaces.length === 0) return false
    const own = new Set((await readModels.missionsOf(principalId)).map((mission) => mission.spaceId))
    const readable = await Promise.all(spaces.map((spaceId) => own.has(spaceId) && this.#mayReadFrom(principalId, spaceId, contentHash)))
    return readable.includes(true)
  }

  /** a candidate reads what its Context Package refers to. */
  async #mayReadFrom(principalId: string, spaceId: string, contentHash: string): Promise<boolean> {
    const found = await this.groupFor(principalId, spaceId)
    if (!found || !(await isByItsMaker(this.#needs.artifacts, found.state, contentHash))) return false
    if (found.membership.state !== 'provisional') return true
    const { contextPackageId = '' } = found.state.memberships.get(principalId) ?? {}
    return found.state.contextPackages.get(contextPackageId)?.artifactHashes.includes(contentHash) === true
  }

  async #mayReadArchive(principalId: string, groupId: string, contentHash: string): Promise<boolean> {
    const found = await this.groupFor(principalId, groupId)
    const archive = found?.state.archive
    if (!found || !archive || ![archive.stateHash, archive.snapshotArtifactHash].includes(contentHash)) return false
    return seesWhole(found.state, { principalId, visibilityStartSequence: found.membership.visibilityStartSequence })
  }

  async allSpaces(): ReturnType<Reads['allSpaces']> {
    const { log } = this.#needs
    const kinds = ['organization', 'policy', 'mission'] as const
    const lists = await Promise.all(kinds.map(async (kind) => (await log.listSpaces(kind)).map((spaceId) => ({ spaceId, kind }))))
    return Promise.all(lists.flat().map(async (space) => ({ ...space, head: await log.head(space.spaceId) })))
  }

  async fingerprintOf(groupId: string): ReturnType<Reads['fingerprintOf']> {
    const { group } = await this.#needs.actors.read(groupId)
    return group && fingerprintOf(group)
  }

  async #visibilityStart(principalId: string, groupId: string): Promise<number | undefined> {
    return (await this.groupFor(principalId, groupId))?.membership.visibilityStartSequence
  }

  async #shown(principalId: string, groupId: string, entries: readonly LogEntry[]): Promise<readonly DecodedEntry[]> {
    return (await this.#needs.view.show(principalId, groupId, entries)).map(decodeEntry)
  }

  #isInForce({ state, provisionalExpiresAt }: Membership): boolean {
    if (state === 'ended') return false
    return state === 'active' || provisionalExpiresAt === undefined || Date.parse(provisionalExpiresAt) > this.#needs.clock.nowMs()
  }
}

function rowOf({ groupId, member, role, state, membershipEpoch, visibilityStartSequence, missionId }: Membership): MembershipRow {
  return { spaceId: groupId, memberId: member.id, role, state, membershipEpoch, visibilityStartSequence, missionId }
}

/** 48 bits over what a Membership says: the same on every node and after a restart, other as soon as anything changes. */
function revisionOf(rows: readonly MembershipRow[]): number {
  const text = JSON.stringify(rows.map((row) => [row.spaceId, row.role, row.state, row.membershipEpoch, row.visibilityStartSequence]))
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}

/** What one pass up and one down come to, for edges lead back and are ascending by child. */
function relatedBy(edges: readonly GraphEdgeRow[], sequence: number): readonly number[] {
  const [above, below] = [new Set([sequence]), new Set([sequence])]
  for (const { child, parent } of edges.toReversed()) if (above.has(child)) above.add(parent)
  for (const { child, parent } of edges) if (below.has(parent)) below.add(child)
  return [...new Set([...above, ...below])].sort((a, b) => a - b)
}
