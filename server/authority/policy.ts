// What the Organization allows, as data.
import { deriveUrn } from '../../protocol/digest.ts'
import type { Policy } from '../../protocol/generated/types.ts'

/** Work of this class goes its way without an Approval of its own. */
const free = { executionApproval: false, rootHumanApproval: false }
const gated = { executionApproval: true, rootHumanApproval: true }

/** In force until an administrator has set another. */
export const DEFAULT_POLICY: Policy = {
  version: 0,
  freshnessSeconds: 300,
  maximumDepth: { childMissions: 3, delegation: 3 },
  risk: { none: free, reversible: free, external: free, high_risk: gated, destructive: gated },
  executionGates: { payment: [], production_deployment: [], destructive_change: [], external_communication: [], sensitive_data: [] },
  limits: { messagesPerMinute: 120, proposalsPerMinute: 30, openClarifications: 5, queuedWorkItems: 100, activeWorkItems: 4 },
  services: [],
}

/** The Space of the Organization's policy, which a Command that changes it names as its Group. */
export const policySpaceIdOf = (organizationId: string): string => deriveUrn('policy', organizationId)
