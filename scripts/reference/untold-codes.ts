// Refusals that the tests saw and docs/commands.md does not tell.
import type { ErrorCode } from '../../protocol/error-codes.ts'
import { isCommandPayloadKind } from '../../protocol/validate.ts'
import type { Proof } from '../evidence/proofs.ts'
import { COMMON_CODES } from './checks.ts'
import { FACTS } from './facts.ts'

/** Each as `kind CODE`, once, in order. */
export function untoldCodes(proofs: readonly Proof[]): readonly string[] {
  const untold = proofs.flatMap(({ sightings }) => sightings).filter(([word, kind, code]) => word === 'refused' && !isTold(kind!, code as ErrorCode))
  return [...new Set(untold.map(([, kind, code]) => `${kind} ${code}`))].sort()
}

/** A kind without a payload of its own is refused for that, and has no section. */
function isTold(kind: string, code: ErrorCode): boolean {
  if (COMMON_CODES.has(code) || !isCommandPayloadKind(kind)) return true
  return FACTS[kind].checks.some(([, ...codes]) => codes.includes(code))
}
