// The shape of a Command payload, with the one code that the protocol keeps apart.
import { reject } from '../../protocol/error-codes.ts'
import type { CommandPayloadKind } from '../../protocol/validate.ts'
import { validateCommandPayload } from '../../protocol/validate.ts'
import type { Refusal } from './fences.ts'

const MISSING = new Set(['required', 'minItems', 'minLength'])

/** SCHEMA_VALIDATION_FAILED, or WORK_CONTRACT_INCOMPLETE when what is missing belongs to a Work Contract (A-139). */
export function payloadRefused(kind: CommandPayloadKind, payload: unknown): Refusal {
  const fault = validateCommandPayload(kind, payload)
  if (!fault) return undefined
  const isGap = fault.path.startsWith('/contract') && MISSING.has(fault.keyword)
  const message = `${fault.path === '' ? 'the payload' : `payload${fault.path}`} ${fault.message}`
  const details = { path: fault.path, keyword: fault.keyword }
  return reject(isGap ? 'WORK_CONTRACT_INCOMPLETE' : 'SCHEMA_VALIDATION_FAILED', message, { details })
}
