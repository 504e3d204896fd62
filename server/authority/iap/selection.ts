// `iap-selection/1`: which bid wins. Everything that the choice rests on is recorded, so that anybody can make it again.
import { sha256Hash } from '../../../protocol/digest.ts'
import type { AgentId, CapabilityRecord } from '../../../protocol/iap/types.ts'

export const SELECTION_RULE = 'iap-selection/1'

/** What each of the four shares counts. */
export interface SelectionWeights {
  readonly cost: number
  readonly latency: number
  readonly queueDepth: number
  readonly confidence: number
}
export const DEFAULT_WEIGHTS: SelectionWeights = { cost: 0.35, latency: 0.35, queueDepth: 0.1, confidence: 0.2 }

export interface Candidate {
  /** Ordinal of the bid. */
  readonly bid: number
  readonly agentId: AgentId
  readonly estimatedCost: number
  readonly estimatedLatency: number
  readonly queueDepth: number
  readonly confidence: number
  /** How the bidder did with this capability so far. */
  readonly record: CapabilityRecord
}

/** What a choice rests on. The scales are what counts as 1. */
export interface SelectionBasis {
  readonly weights: SelectionWeights
  readonly scales: { readonly cost: number; readonly latency: number; readonly queueDepth: number }
  readonly seed: string
  readonly candidates: readonly Candidate[]
}

export interface Selection extends SelectionBasis {
  readonly rule: typeof SELECTION_RULE
  /** Bids that were in time and within the limits, of agents that are away or have no slot free. */
  readonly passedOver: readonly { readonly bid: number; readonly agentId: AgentId; readonly reason: 'offline' | 'no_slot' }[]
  readonly winner: number
  /** The bids that were equally good, when the seed decided. */
  readonly tied?: readonly number[]
}

/** Claims count as much as this many tasks. */
const CLAIM_WEIGHT = 4
/** Scores closer than this are equal. */
const GRAIN = 1e-9

/** A claim is half believed until results speak: with n settled tasks it counts 4 / (n + 4), the share that was completed the rest. */
export function calibratedConfidence(claim: number, { completed, failed, timedOut }: CapabilityRecord): number {
  const believed = (claim + 0.5) / 2
  return (completed + CLAIM_WEIGHT * believed) / (completed + failed + timedOut + CLAIM_WEIGHT)
}

/** The scales of a choice: the proposal's limits, or the largest of the bids where it sets none. */
export const scalesOf = (candidates: readonly Candidate[], limits: { readonly maxCost?: number; readonly maxLatency?: number }): SelectionBasis['scales'] => ({
  cost: limits.maxCost ?? Math.max(...candidates.map(({ estimatedCost }) => estimatedCost)),
  latency: limits.maxLatency ?? Math.max(...candidates.map(({ estimatedLatency }) => estimatedLatency)),
  queueDepth: Math.max(...candidates.map(({ queueDepth }) => queueDepth)),
})

/** The winner among at least one candidate, and who was equally good. The order of the candidates has no say. */
export function select(basis: SelectionBasis): { readonly winner: number; readonly tied?: readonly number[] } {
  const scored = basis.candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, basis) }))
  const best = Math.min(...scored.map(({ score }) => score))
  const equals = scored.filter(({ score }) => score === best).map(({ candidate }) => candidate)
  const [first] = [...equals].sort((a, b) => (lotOf(a, basis.seed) < lotOf(b, basis.seed) ? -1 : 1))
  if (equals.length === 1) return { winner: first!.bid }
  return { winner: first!.bid, tied: equals.map(({ bid }) => bid).sort((a, b) => a - b) }
}

/** The bid that the recorded selection must have chosen. */
export const replaySelection = (selection: Selection): number => select(selection).winner

/** Lower is better; whole multiples of the grain. */
function scoreOf(candidate: Candidate, { weights, scales }: SelectionBasis): number {
  const score =
    weights.cost * share(candidate.estimatedCost, scales.cost) +
    weights.latency * share(candidate.estimatedLatency, scales.latency) +
    weights.queueDepth * share(candidate.queueDepth, scales.queueDepth) +
    weights.confidence * (1 - calibratedConfidence(candidate.confidence, candidate.record))
  return Math.round(score / GRAIN)
}

const share = (value: number, scale: number): number => (scale === 0 ? 0 : value / scale)
const lotOf = ({ agentId }: Candidate, seed: string): string => sha256Hash(new TextEncoder().encode(JSON.stringify([seed, agentId])))
