// A whole worker: takes every offer, counts the words of the goal, hands the count in. Begin your own from here.
import type { RequiredEvidence } from '../protocol/generated/types.ts'
import type { AgentClient } from '../sdk/index.ts'
import { GroupMirror, withExecutionLease } from '../sdk/index.ts'
import { evidenceTypesOf } from './release-review/evidence-types.ts'

/** Works in every Group that the Agent is brought into, until the client is over. */
export async function runWordCounter(client: AgentClient): Promise<void> {
  const known = new Set<string>()
  for await (const groups of client.watchGroups()) {
    for (const { groupId } of groups.filter((group) => !known.has(group.groupId))) {
      known.add(groupId)
      void workIn(client, groupId)
    }
  }
}

/** History comes first: what an old offer would have led to is refused, and a refusal is a value that can be passed over. */
async function workIn(client: AgentClient, groupId: string): Promise<void> {
  const mirror = new GroupMirror()
  for await (const event of client.subscribe(groupId, { after: 0 })) {
    mirror.apply(event)
    const { workItemId = '' } = event
    const offer = mirror.offerTo(client.agentId, workItemId)
    const item = mirror.workItems.get(workItemId)
    if (offer) await client.submit('work.accept_offer', { workItemId, offerId: offer.offerId }, { groupId, workItemId })
    else if (item?.state === 'queued' && item.owner?.agentId === client.agentId) await countWords(client, mirror, workItemId)
  }
}

async function countWords(client: AgentClient, mirror: GroupMirror, workItemId: string): Promise<void> {
  const { contract, owner } = mirror.workItems.get(workItemId) ?? {}
  if (!contract || !owner || !mirror.mission) return
  const { missionId, groupId } = mirror.mission
  const { ownershipEpoch, agentCardVersion, capabilityPins: capabilities } = owner
  await withExecutionLease(client, { groupId, workItemId, ownershipEpoch }, async (lease) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ words: contract.goal.split(/\s+/).length }))
    const { artifact } = await client.publishArtifact(bytes, { lease, mediaType: 'application/json', schemaUri: 'urn:example:word-count', agentCardVersion, capabilities })
    const types = new Set(contract.acceptanceCriteria.flatMap(evidenceTypesOf))
    const signEvidence = (type: RequiredEvidence) => client.signEvidence({
      missionId,
      groupId,
      workItemId,
      type,
      subject: { type: 'artifact', id: artifact.contentHash },
      criterionIds: contract.acceptanceCriteria.map(({ criterionId }) => criterionId),
      method: 'Counted the words of the goal, and judged nothing else.',
      result: 'inconclusive',
      artifactHashes: [artifact.contentHash],
    })
    const evidence = await Promise.all([...types].map(signEvidence))
    const { executionLeaseId } = lease
    return client.submit('work.submit', { workItemId, ownershipEpoch, executionLeaseId, artifactHashes: [artifact.contentHash], evidence }, { groupId, workItemId })
  })
}
