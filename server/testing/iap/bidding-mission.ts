// A Mission whose Coordinator, which holds its own key, lets agents of the I.A.P. door bid for its work.
import type { EventDocument } from '../../../protocol/generated/types.ts'
import { invariant } from '../../../protocol/result.ts'
import type { HumanClient } from '../../../sdk/index.ts'
import { AgentClient, newId } from '../../../sdk/index.ts'
import type { DecodedEntry } from '../../service/ports.ts'
import { accepted, enrol, inHours, register, reportContract } from '../sdk-clients.ts'
import type { IapServer } from './iap-server.ts'

export const capability = { id: 'data.analysis', version: '1.0.0' }
const criteria = [{ criterionId: 'complete', description: 'Nothing is missing.', evidenceRequired: ['artifact_integrity' as const, 'deterministic_test' as const] }]

const contract = () => reportContract(capability, { acceptanceCriteria: criteria, retryPolicy: { maxAttempts: 3, backoff: 'none', maxDelay: 'PT0S', retryableFailures: [] }, budget: { currency: 'EUR', financialLimit: 10 } })

export class BiddingMission {
  readonly owner: HumanClient
  readonly coordinator: AgentClient
  /** Opens the I.A.P. door to the Coordinator. */
  readonly token: string
  readonly #iap: IapServer

  private constructor(iap: IapServer, owner: HumanClient, { coordinator, token }: { readonly coordinator: AgentClient; readonly token: string }) {
    this.#iap = iap
    this.owner = owner
    this.coordinator = coordinator
    this.token = token
  }

  static async prepare(iap: IapServer): Promise<BiddingMission> {
    const { service, port } = iap.server
    const owner = await enrol(iap.server, 'Ada')
    const coordinator = await AgentClient.connect({ url: `ws://127.0.0.1:${port}/mwp`, ...(await register(iap.server, 'Coordinator', [capability])) })
    const issued = await service.doors.tokens.issue({ principalId: coordinator.agentId, doors: ['iap'], label: 'bids' })
    invariant(issued.ok, 'the token is issued')
    return new BiddingMission(iap, owner, { coordinator, token: issued.value.token })
  }

  /** A Mission with one open WorkItem. */
  async found(): Promise<{ readonly groupId: string; readonly workItemId: string }> {
    const { coordinator } = this
    const mission = await this.owner.createMission({ title: 'Release', coordinatorAgentId: coordinator.agentId, objective: 'Write it.', definitionOfDone: criteria, budget: { currency: 'EUR', financialLimit: 100 }, deadline: inHours(48) })
    accepted(mission.receipt)
    const { groupId } = mission
    for await (const { kind } of coordinator.subscribe(groupId, { after: 0 })) if (kind === 'mission.created') break
    const workItemId = newId()
    accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract() }, { groupId, workItemId }))
    return { groupId, workItemId }
  }

  async enlist(groupId: string, name: string): Promise<EventDocument> {
    return accepted(await this.coordinator.submit('membership.change', { member: { type: 'agent', id: await this.#iap.principal(name) }, role: 'worker', visibilityStartSequence: 0 }, { groupId }))
  }

  /** The log of the Mission as its owner reads it. */
  async log(groupId: string): Promise<readonly DecodedEntry[]> {
    const { service } = this.#iap.server
    await service.iap.published()
    return service.reads.range(this.owner.principalId, groupId, 0, 1_000)
  }
}
