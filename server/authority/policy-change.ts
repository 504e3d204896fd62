// An administrator puts another policy in force. The Space of the policy holds these Events and nothing else.
import type { EventDocument, Policy, PolicyChangedPayload, PolicyChangePayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { POLICY_CHANGE, POLICY_CHANGED } from '../../protocol/kinds.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { payloadRefused } from './payload.ts'
import type { Decision, DecisionEnv, VerifiedCommand } from './types.ts'

/** An administrator's standing in the Space of the policy never changes while it lasts. */
const administratorEpoch = 1

/** `ext.countersign.policy.change`; `expectedRevision` is the version in force and may not be left out. */
export function decidePolicyChange(current: Policy, verified: VerifiedCommand, env: DecisionEnv): Decision {
  const { command } = verified
  if (command.kind !== POLICY_CHANGE) return err(reject('INVALID_COMMAND', `the Space of the policy takes no ${command.kind}`))
  const payload = command.payload as PolicyChangePayload
  const refusal = payloadRefused(POLICY_CHANGE, payload) ?? notAdministrator(verified, env) ?? wrongVersion(verified, payload, current) ?? ambiguous(payload)
  if (refusal) return err(refusal)
  const { policy, reason } = payload
  return ok([primaryDraft(verified, { kind: POLICY_CHANGED, aggregateRevision: policy.version, payload: { policy, reason } })])
}

/** a person of the Organization with an authority key, and of these an administrator. */
export function notAdministrator({ command, keyUse }: VerifiedCommand, { isAdmin }: DecisionEnv): Refusal {
  if (command.actor.type !== 'human' || keyUse !== 'authority' || !isAdmin(command.actor.id)) {
    return reject('AUTH_FORBIDDEN', 'only an administrator with an authority key may change the policy or approve profiles')
  }
  return command.membershipEpoch === administratorEpoch ? undefined : reject('MEMBERSHIP_STALE', `administrators sign under Membership Epoch ${administratorEpoch}`)
}

function wrongVersion({ command: { expectedRevision } }: VerifiedCommand, { policy }: PolicyChangePayload, { version }: Policy): Refusal {
  if (expectedRevision === undefined) return reject('INVALID_COMMAND', 'the Command does not say which version of the policy it replaces')
  if (expectedRevision !== version) return reject('REVISION_CONFLICT', 'the policy has changed since it was read', { expectedRevision, currentRevision: version })
  return policy.version === version + 1 ? undefined : reject('INVALID_COMMAND', `the next version of the policy is ${version + 1}`)
}

function ambiguous({ policy: { services } }: PolicyChangePayload): Refusal {
  const isOnce = new Set(services.map(({ principalId }) => principalId)).size === services.length
  return isOnce ? undefined : reject('INVALID_COMMAND', 'the policy names one service twice')
}

/** The policy after one more Event of its Space; throws InvariantViolation on anything but the next version. */
export function evolvePolicy(current: Policy, { kind, payload }: EventDocument): Policy {
  invariant(kind === POLICY_CHANGED, `the Space of the policy holds no Events of kind ${kind}`)
  const { policy } = payload as unknown as PolicyChangedPayload
  invariant(policy.version === current.version + 1, `policy version ${policy.version} does not follow ${current.version}`)
  return policy
}
