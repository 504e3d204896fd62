// Missions below one another under test, each with a Group of its own; reactions travel when the test says so.
import type { Actor, EventDocument, MissionCreateChildPayload } from '../../protocol/generated/types.ts'
import { agentCard, wanda, wim } from './cast.ts'
import { missionPayload } from './documents.ts'
import { GroupFixture } from './group-fixture.ts'
import { coordinatorOf, workId } from './work-scenario.ts'

/** A child Mission on the WorkItem `work` of the parent, coordinated by Wim unless the test says otherwise. */
export function childPayload(name: string, work: string, changes: Partial<MissionCreateChildPayload> = {}): MissionCreateChildPayload {
  return {
    ...missionPayload(name),
    parentWorkItemId: workId(work),
    coordinatorAgentId: wim.id,
    budget: { currency: 'EUR', financialLimit: 8, modelTokenLimit: 60 },
    deadline: '2026-12-19T18:00:00Z',
    approvalPolicy: { finalHumanApproval: false, highRiskExecutionApproval: true, policyVersion: '1.0.0' },
    ...changes,
  }
}

export interface ChildSetting {
  readonly changes?: Partial<MissionCreateChildPayload>
  readonly worker?: Actor
}

export class MissionTree {
  readonly root: GroupFixture
  readonly #groups = new Map<string, GroupFixture>()
  /** How many reactions of each Group have been delivered. */
  readonly #delivered = new Map<GroupFixture, number>()

  constructor(root = new GroupFixture('root').found()) {
    this.root = root
    this.#add(root)
  }

  /** Founds a child Mission on this WorkItem and admits its worker, Wanda unless the test says otherwise. */
  child(parent: GroupFixture, name: string, work: string, { changes = {}, worker = wanda }: ChildSetting = {}): GroupFixture {
    const owner = coordinatorOf(parent)
    parent.accept(owner, 'mission.create_child', childPayload(name, work, changes))
    const child = new GroupFixture(name)
    child.now = parent.now
    for (const agent of [worker, { type: 'agent', id: changes.coordinatorAgentId ?? wim.id } as const]) {
      child.cards.set(agent.id, agentCard(agent))
      child.sessionEpochs.set(agent.id, 1)
    }
    child.coordinators.set(parent.state.mission.missionId, owner.id)
    const { foundsGroupId: _groupId, ...first } = parent.founded.at(-1)!
    child.append([first])
    child.accept(coordinatorOf(child), 'membership.change', { member: worker, role: 'worker' })
    this.#add(child)
    return child
  }

  /** Delivers reactions until none is left; answers the Events that recorded them. */
  settle(): EventDocument[] {
    const recorded: EventDocument[] = []
    for (let isQuiet = false; !isQuiet; ) {
      isQuiet = true
      for (const group of this.#groups.values()) {
        const from = this.#delivered.get(group) ?? 0
        this.#delivered.set(group, group.reactions.length)
        for (const reaction of group.reactions.slice(from)) {
          recorded.push(...this.#groups.get(reaction.targetGroupId)!.react(reaction))
          isQuiet = false
        }
      }
    }
    return recorded
  }

  #add(group: GroupFixture): void {
    this.#groups.set(group.state.groupId, group)
  }
}
