// The Release coordinator: plans, hands out, reviews and submits. Everything it decides comes from plan.ts; this file carries it out.
import type { AgentClient, AgentEntry, CommandKind, GroupEntry, Receipt, Refusal } from '../../../sdk/index.ts'
import { IntegrityFault, reconcile } from '../../../sdk/index.ts'
import type { CommandPayloads, EventDocument } from '../../../protocol/generated/types.ts'
import type { Desk, Reading } from '../group-desk.ts'
import { isFinal, workInGroups } from '../group-desk.ts'
import { Postponements } from '../postponements.ts'
import { MissionHistory } from './mission-history.ts'
import { plan } from './plan.ts'
import type { CommandStep, ReconcileStep, Step, VerdictStep } from './steps.ts'
import { actionIdOf } from './steps.ts'

const AGENTS_FRESH_MS = 1_000

type Report = (line: string) => void

/** Coordinates every Mission that names this Agent, until the client is over. */
export function runCoordinator(client: AgentClient, report: Report): Promise<void> {
  return workInGroups(client, 'coordinator', (entry, reading) => new CoordinatorDesk(client, entry, { reading, report }), report)
}

class CoordinatorDesk implements Desk {
  readonly #client: AgentClient
  readonly #entry: GroupEntry
  readonly #reading: Reading
  readonly #report: Report
  readonly #history = new MissionHistory()
  readonly #contents = new Map<string, Uint8Array | undefined>()
  readonly #refused = new Postponements()
  #agents: { readonly atMs: number; readonly entries: readonly AgentEntry[] } = { atMs: 0, entries: [] }

  constructor(client: AgentClient, entry: GroupEntry, { reading, report }: { reading: Reading; report: Report }) {
    this.#client = client
    this.#entry = entry
    this.#reading = reading
    this.#report = report
  }

  take(event: EventDocument): void {
    this.#history.apply(event)
  }

  get isDone(): boolean {
    return isFinal(this.#history.mirror)
  }

  async act(): Promise<number | undefined> {
    const nowMs = Date.now()
    const context = { me: this.#client.agentId, nowMs, agents: await this.#presentAgents(nowMs), contents: this.#contents }
    const { steps, wakeAtMs } = plan(this.#history, context)
    const due = steps.filter((step) => step.type === 'load' || this.#refused.isDue(step.name, nowMs))
    for (const step of due) await this.#carryOut(step)
    if (due.length > 0) return Date.now()
    return Math.min(wakeAtMs ?? Infinity, this.#refused.nextMs(nowMs))
  }

  async #presentAgents(nowMs: number): Promise<readonly AgentEntry[]> {
    if (nowMs - this.#agents.atMs >= AGENTS_FRESH_MS) this.#agents = { atMs: nowMs, entries: await this.#client.agents() }
    return this.#agents.entries
  }

  async #carryOut(step: Step): Promise<void> {
    if (step.type === 'load') {
      this.#contents.set(step.contentHash, await this.#fetch(step.contentHash))
      return
    }
    const receipt = await this.#send(step)
    if (!receipt.ok) return this.#postpone(step, receipt.error)
    this.#refused.forget(step.name)
    // The next plan has to know of it, or it would hold the same step again.
    await this.#reading.reached(receipt.value.sequence)
  }

  #send(step: CommandStep | VerdictStep | ReconcileStep): Promise<Receipt> {
    if (step.type === 'reconcile') return reconcile(this.#client, this.#history.mirror, this.#targetOf(step.name, {}))
    return step.type === 'verdict' ? this.#pronounce(step) : this.#submit(step)
  }

  /** Content that does not have its hash is as good as none. */
  async #fetch(contentHash: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#client.download(contentHash)
    } catch (fault) {
      if (fault instanceof IntegrityFault) return undefined
      throw fault
    }
  }

  async #pronounce({ name, workItemId, reason, evidence }: VerdictStep): Promise<Receipt> {
    const signed = await Promise.all(evidence.map((description) => this.#client.signEvidence(description)))
    const target = this.#targetOf(name, { workItemId })
    if (reason === undefined) return this.#client.submit('work.accept_result', { workItemId, evidence: signed }, target)
    return this.#client.submit('work.fail', { workItemId, reason, evidence: signed }, target)
  }

  #submit({ name, command, target }: CommandStep): Promise<Receipt> {
    // The union pairs every kind with its payload; `submit` takes one kind at a time.
    return this.#client.submit<CommandKind>(command.kind, command.payload as CommandPayloads[CommandKind], this.#targetOf(name, target))
  }

  #targetOf(stepName: string, target: CommandStep['target']) {
    const { groupId, missionId } = this.#entry
    return { ...target, groupId, actionId: actionIdOf(missionId, stepName) }
  }

  /** A Command that was signed in the session before is signed anew at once; anything else may need something to happen first. */
  #postpone({ name }: CommandStep | VerdictStep | ReconcileStep, { code, message }: Refusal): void {
    if (code === 'AUTH_STALE_SESSION') return
    const attempts = this.#refused.postpone(name, Date.now())
    if (attempts === 1) this.#report(`may not ${name.split(':', 1)[0]} yet: ${message} (${code})`)
  }
}
