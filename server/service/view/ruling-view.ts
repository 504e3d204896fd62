import type { KeptRuling } from '../ports.ts'
import type { RulingLine } from '../views.ts'
import type { Naming } from './participants.ts'

export function rulingLine({ entry, area, outcome, actor, at, kind, reason, policyVersion, sequence, code }: KeptRuling, name: Naming): RulingLine {
  return { entry, area, outcome, actor: name(actor), at, kind, reason, policyVersion, ...(sequence !== undefined && { sequence }), ...(code !== undefined && { code }) }
}
