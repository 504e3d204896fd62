// Context Packages: what a latecomer is given in place of the history, bound to the log that it sums up.
import type { ContextPackage } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Refusal } from './fences.ts'
import { idInUse } from './fences.ts'
import type { GroupState } from './types.ts'
import { introduce } from './work-record.ts'

/**
 * Why this package cannot be recorded. `workItemId` is what it has to be about, undefined for the whole Mission. Its
 * signature has been verified; what is judged here is whether it speaks of this Group's own log. `formerId` is an Agent that
 * may have written it although it has left.
 */
export function packageRefused(state: GroupState, document: ContextPackage, workItemId: string | undefined, formerId?: string): Refusal {
  return (
    idInUse(state, document.contextPackageId) ??
    strangerWrote(state, document, formerId) ??
    elsewhere(state, document, workItemId) ??
    wrongRange(state, document) ??
    unknownSources(state, document) ??
    wrongVersion(state, document)
  )
}

/** Whoever sums up the log has to be able to read it. */
function strangerWrote({ memberships }: GroupState, { generatedBy }: ContextPackage, formerId: string | undefined): Refusal {
  if (generatedBy.id === formerId) return undefined
  const membership = memberships.get(generatedBy.id)
  if (membership?.state === 'active' && membership.member.type === 'agent') return undefined
  return reject('AUTH_FORBIDDEN', 'the Context Package is by nobody of this Group')
}

function elsewhere({ mission }: GroupState, document: ContextPackage, workItemId: string | undefined): Refusal {
  const isHere = document.missionId === mission.missionId && document.groupId === mission.groupId
  if (!isHere) return reject('INVALID_COMMAND', 'the Context Package is about another Mission')
  return document.workItemId === workItemId ? undefined : reject('INVALID_COMMAND', 'the Context Package is about other work')
}

/** The ids are those of Events of the range in log order, its first and its last among them; others may be left out. */
function wrongRange(state: GroupState, { sourceEventRange }: ContextPackage): Refusal {
  const { fromSequence, toSequence, eventIds } = sourceEventRange
  const named = eventIds.map((id) => sequenceOfEvent(state, id))
  const isAscending = named.every((at, index) => index === 0 || at > (named[index - 1] ?? 0))
  const isRange = fromSequence <= toSequence && toSequence <= state.sequence && named[0] === fromSequence && named.at(-1) === toSequence
  return isRange && isAscending ? undefined : reject('INVALID_COMMAND', 'the range of the Context Package is not one of this log')
}

/** Ids of much else are kept beside those of Events. */
function sequenceOfEvent({ sequenceOf, eventIds }: GroupState, id: string): number {
  const sequence = sequenceOf.get(id) ?? 0
  return eventIds[sequence - 1] === id ? sequence : 0
}

function unknownSources(state: GroupState, { artifactHashes, decisions, sourceEventRange }: ContextPackage): Refusal {
  if (!artifactHashes.every((hash) => state.artifacts.has(hash))) return reject('INVALID_COMMAND', 'the Context Package names an artifact that was not published here')
  const { fromSequence, toSequence } = sourceEventRange
  const isInRange = (id: string): boolean => {
    const at = sequenceOfEvent(state, id)
    return at >= fromSequence && at <= toSequence
  }
  if (decisions.every(({ sourceEventIds }) => sourceEventIds.every(isInRange))) return undefined
  return reject('INVALID_COMMAND', 'a decision in the Context Package has a source outside its range')
}

/** the first version stands alone, every later one follows on its predecessor about the same work. */
function wrongVersion({ contextPackages }: GroupState, { version, previousContextPackageId: previousId, workItemId }: ContextPackage): Refusal {
  const previous = previousId === undefined ? undefined : contextPackages.get(previousId)
  if (previousId === undefined) return version === 1 ? undefined : reject('INVALID_COMMAND', 'a later version names the one before it')
  if (previous && previous.workItemId === workItemId && previous.version + 1 === version) return undefined
  return reject('INVALID_COMMAND', 'the Context Package does not follow on the one that it names')
}

/** Keeps what later Events are judged by; only evolvers call it. */
export function notePackage(state: GroupState, { contextPackageId, version, workItemId, artifactHashes }: ContextPackage, sequence: number): void {
  state.contextPackages.set(contextPackageId, { version, artifactHashes, ...(workItemId !== undefined && { workItemId }) })
  introduce(state, contextPackageId, sequence)
}
