// When a Mission ends without a result, so does whatever is unfinished in it.
import type { EventPayloads } from '../../protocol/generated/types.ts'
import { followingDraft } from './draft.ts'
import type { MemberRequest } from './request.ts'
import type { EventDraft } from './types.ts'
import { isUnfinished } from './work-record.ts'

type Ending = 'work.cancelled' | 'work.failed'

/** One Event for every unfinished WorkItem, in the order of authorization; each follows from the primary Event of the request. */
export function endUnfinished<K extends Ending>(request: MemberRequest, kind: K, payloadFor: (workItemId: string) => EventPayloads[K]): readonly EventDraft[] {
  const unfinished = [...request.state.workItems.values()].filter(isUnfinished)
  return unfinished.map(({ item }, index) =>
    followingDraft(request, index + 1, { kind, aggregateRevision: item.revision + 1, item, payload: payloadFor(item.workItemId) }),
  )
}
