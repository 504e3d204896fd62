// Read-model rows, derived from the same fold as the decision and written in the same transaction.
export interface MissionRow {
  readonly spaceId: string
  readonly missionId: string
  readonly title: string
  readonly state: string
  readonly ownerId: string
  readonly head: number
  readonly updatedAt: string
}
export interface MembershipRow {
  readonly spaceId: string
  readonly memberId: string
  readonly role: string
  readonly state: string
  readonly membershipEpoch: number
  readonly visibilityStartSequence: number
  readonly missionId: string
}
export interface GraphNodeRow { readonly sequence: number; readonly kind: string; readonly conversationId?: string; readonly workItemId?: string }
export type EdgeProvenance = 'reply' | 'mention' | 'cause' | 'target' | 'source' | 'depends' | 'decides'
export interface GraphEdgeRow { readonly child: number; readonly parent: number; readonly provenance: EdgeProvenance }

export interface MessageRow { readonly sequence: number; readonly messageId: string; readonly conversationId: string; readonly authorId: string }
export interface ArtifactRow { readonly sequence: number; readonly contentHash: string; readonly artifactId: string; readonly workItemId: string }
/** Which Agent executes now; `null` when nobody does any more. */
export interface ExecutionRow { readonly workItemId: string; readonly holderAgentId: string | null }

/** Rows of one batch. Inserts but for `mission`, `memberships` and `executions`, which replace the row with the same key. */
export interface ReadModelRows {
  readonly mission?: MissionRow
  readonly memberships: readonly MembershipRow[]
  readonly messages: readonly MessageRow[]
  readonly nodes: readonly GraphNodeRow[]
  readonly edges: readonly GraphEdgeRow[]
  readonly artifacts: readonly ArtifactRow[]
  readonly executions: readonly ExecutionRow[]
}
