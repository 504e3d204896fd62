// When an earlier result may answer a proposal: only where the proposer asks for it, and never across tenants, capabilities, descriptions or inputs.
import { canonicalize } from '../../../protocol/canonical-json.ts'
import { sha256Hash } from '../../../protocol/digest.ts'
import { foldCapabilityType } from '../../../protocol/iap/capability-type.ts'
import type { IAPMessageOf } from '../../../protocol/iap/types.ts'

/**
 * The key under which a completed result is kept and looked up; `undefined` unless the proposal says `metadata.useCache`, or where its
 * input has no canonical form. Similar is not the same: every part of the key is compared to the letter. Keep results of status
 * `completed` that the router applied, and none that came from the cache.
 */
export function resultCacheKey(tenantId: string, { payload, metadata }: IAPMessageOf<'TASK_PROPOSAL'>): string | undefined {
  if (metadata?.useCache !== true) return undefined
  const { requiredCapability, description, input } = payload
  const bytes = canonicalize(['iap-result/1', tenantId, foldCapabilityType(requiredCapability), description, input])
  return bytes.ok ? sha256Hash(bytes.value) : undefined
}
