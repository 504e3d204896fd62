// The router's rules where an operator sets none.
import { DEFAULT_WEIGHTS } from './selection.ts'
import type { RouterRules } from './types.ts'

export const DEFAULT_RULES: RouterRules = {
  bidWindowMs: 2000,
  acceptWithinMs: 10_000,
  defaultTaskMs: 300_000,
  longestTaskMs: 30 * 24 * 3_600_000,
  graceMs: 60_000,
  heartbeatIntervalMs: 30_000,
  weights: DEFAULT_WEIGHTS,
}
