// What a person needs to know of a Mission to act in it. The console's own views hold more.

export interface MissionStanding {
  readonly missionId: string
  readonly groupId: string
  readonly title: string
  readonly state: string
  readonly revision: number
  readonly head: number
  readonly work: readonly { readonly workItemId: string; readonly goal: string; readonly state: string }[]
  readonly me: { readonly principalId: string; readonly role: string; readonly membershipEpoch: number }
}

/** What waits for a decision, if anything does. */
export interface ApprovalStanding {
  readonly mission: MissionStanding
  readonly pending?: {
    readonly submissionNumber: number
    readonly missionRevision: number
    readonly artifactHashes: readonly string[]
    readonly summary: string
  }
  readonly acceptancePolicyVersion: string
}
