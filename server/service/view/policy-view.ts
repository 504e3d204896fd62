// Versions of the Organization's policy as people read them: who put each in force, why, and what it replaced.
import type { PolicyChangedPayload } from '../../../protocol/generated/types.ts'
import { DEFAULT_POLICY } from '../../authority/policy.ts'
import type { DecodedEntry } from '../ports.ts'
import type { PolicyAccess } from '../service.ts'
import type { PolicyVersion } from '../views.ts'
import type { Naming } from './participants.ts'

/** The newest `limit` versions below `before`, newest first. Versions are numbered without gaps; version 0 was put in force by nobody. */
export async function policyVersions(access: Pick<PolicyAccess, 'history' | 'current'>, before: number | undefined, limit: number, name: Naming): Promise<readonly PolicyVersion[]> {
  const last = Math.min(before ?? Infinity, access.current.version + 1) - 1
  const first = Math.max(last - limit + 1, 1)
  // One more, for what the first one replaced.
  const changes = last < first ? [] : await access.history(Math.max(first - 2, 0), last - Math.max(first - 2, 0))
  const versions = changes.map((change, at): PolicyVersion => {
    const { policy, reason } = changed(change)
    const earlier = changes[at - 1]
    return { policy, previous: earlier ? changed(earlier).policy : DEFAULT_POLICY, by: name(change.event.actor), at: change.event.occurredAt, reason }
  })
  return versions.filter(({ policy }) => policy.version >= first).reverse()
}

const changed = ({ event }: DecodedEntry): PolicyChangedPayload => event.payload as unknown as PolicyChangedPayload
