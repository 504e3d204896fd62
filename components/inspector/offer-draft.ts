import type { CapabilityRef } from '../../protocol/generated/types.ts'
import type { DecisionDraft } from '../mission/decision-dialog.tsx'
import type { OfferView } from '../trpc.tsx'

/** What an owner chose besides the reason. */
export interface OfferChoice {
  readonly candidateIds: readonly string[]
  readonly seconds: number
}

/** Named in the selection basis, so that a reader of the log can tell how the candidates came about. */
const RULE = 'emergency-override'

/**
 * `work.offer` by an owner who steps in; undefined while nobody is chosen who can take the work. What is said of the candidates is what their cards
 * vouch for; cost is not estimated, and `now` (RFC 3339) is when the work could be taken up.
 */
export function offerDraft(offer: OfferView, { candidateIds, seconds }: OfferChoice, reason: string, now: string): DecisionDraft | undefined {
  const chosen = offer.candidates.filter(({ who, whyNot }) => whyNot === undefined && candidateIds.includes(who.id))
  if (chosen.length === 0) return undefined
  const { workItemId, revision, requiredCapabilities } = offer
  return {
    kind: 'work.offer',
    workItemId,
    expectedRevision: revision,
    payload: {
      workItemId,
      candidateAgentIds: chosen.map(({ who }) => who.id),
      selectionBasis: { requiredCapabilities, verifiedMatches: inAny(chosen.map(({ verifiedMatches }) => verifiedMatches)), authorizationEligible: true, availabilityEstimate: now, expectedCost: 0, reliabilityEvidence: [], policyRulesApplied: [RULE] },
      offerExpiresInSeconds: seconds,
      overrideReason: reason,
    },
  }
}

/** Each capability of a version once, in the order in which it is met first. */
function inAny(matches: readonly (readonly CapabilityRef[])[]): CapabilityRef[] {
  return [...new Map(matches.flat().map((match) => [`${match.id}@${match.version}`, match])).values()]
}
