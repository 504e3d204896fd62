// The three agents of the demonstration.
import type { AgentClient } from '../../../sdk/index.ts'
import type { CapabilityRef } from '../../../protocol/generated/types.ts'
import { runCoordinator } from '../coordinator/coordinator.ts'
import type { Job } from '../review-jobs.ts'
import { JOB_DESCRIPTIONS } from '../review-jobs.ts'
import { runWorker } from '../worker/worker.ts'

export type Role = 'coordinator' | 'inventory-worker' | 'links-worker'

export interface RosterEntry {
  readonly name: string
  readonly capabilities: readonly CapabilityRef[]
  /** Acts for the Agent until the client is over. */
  run(client: AgentClient, options: { readonly folder: string; readonly report: (line: string) => void }): Promise<void>
}

function worker(name: string, jobs: readonly Job[]): RosterEntry {
  return {
    name,
    capabilities: jobs.map((job) => JOB_DESCRIPTIONS[job].capability),
    run: (client, options) => runWorker(client, { jobs, ...options }),
  }
}

export const ROSTER: Readonly<Record<Role, RosterEntry>> = {
  coordinator: {
    name: 'Release coordinator',
    capabilities: [{ id: 'countersign.coordination', version: '1.0.0' }],
    run: (client, { report }) => runCoordinator(client, report),
  },
  'inventory-worker': worker('Inventory and licences worker', ['inventory', 'licences']),
  'links-worker': worker('Links and report worker', ['links', 'report']),
}

export const ROLES = Object.keys(ROSTER) as readonly Role[]

export const isRole = (text: string): text is Role => Object.hasOwn(ROSTER, text)
