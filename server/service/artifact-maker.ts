import type { GroupState } from '../authority/types.ts'
import type { ArtifactStore } from './ports.ts'

/**
 * Whether somebody whose manifest this Group has was in possession of the content. A hash is no secret, it stands in receipts: a
 * manifest made from it alone must not open the content of other Groups.
 */
export async function isByItsMaker(artifacts: Pick<ArtifactStore, 'isFrom'>, { artifacts: published }: Pick<GroupState, 'artifacts'>, contentHash: string): Promise<boolean> {
  const makers = new Set((published.get(contentHash) ?? []).map(({ producer }) => producer.agentId))
  const isFrom = await Promise.all([...makers].map((agentId) => artifacts.isFrom(contentHash, agentId)))
  return isFrom.includes(true)
}
