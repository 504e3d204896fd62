// Facts of the Organization's own log: Agent Cards and Agent sessions. They belong to no Group.
import type { CommandPayloads, EventPayloads } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { AGENT_CARD_REGISTER, AGENT_CARD_REGISTERED, SESSION_OPEN, SESSION_OPENED } from '../../protocol/kinds.ts'
import { err, ok } from '../../protocol/result.ts'
import { isCardValid } from './capability.ts'
import { eventIdOf, relayedExtensions } from './draft.ts'
import { isSame } from './fences.ts'
import { payloadRefused } from './payload.ts'
import type { OrganizationDecision, OrganizationEnv, OrganizationEventDraft, VerifiedCommand } from './types.ts'

type CardPayload = CommandPayloads[typeof AGENT_CARD_REGISTER]
type SessionPayload = CommandPayloads[typeof SESSION_OPEN]

/** Decides the two Commands that concern the whole Organization. The card's own signature has been verified. */
export function decideOrganization(verified: VerifiedCommand, env: OrganizationEnv): OrganizationDecision {
  const { command, keyUse } = verified
  const { kind, payload } = command
  if (kind !== AGENT_CARD_REGISTER && kind !== SESSION_OPEN) return err(reject('INVALID_COMMAND', `${kind} is no Command of the Organization`))
  const refusal = payloadRefused(kind, payload)
  if (refusal) return err(refusal)
  if (keyUse !== 'service' || !isSame(command.actor, env.registry)) return err(reject('AUTH_FORBIDDEN', 'only the Registry may do this'))
  if (kind === AGENT_CARD_REGISTER) return decideRegisterCard(verified, payload as CardPayload, env)
  return decideOpenSession(verified, payload as SessionPayload, env)
}

/** `agent_card_register`; card versions only rise, and `expectedRevision` is the version registered so far. */
function decideRegisterCard(verified: VerifiedCommand, { card }: CardPayload, env: OrganizationEnv): OrganizationDecision {
  const current = env.cardOf(card.agentId)?.cardVersion ?? 0
  const { expectedRevision = current } = verified.command
  if (expectedRevision !== current || card.cardVersion <= current) {
    return err(reject('REVISION_CONFLICT', 'a card of this or a later version is registered', { expectedRevision, currentRevision: current }))
  }
  if (card.organizationId !== env.organizationId) return err(reject('AUTH_FORBIDDEN', 'the card was issued for another Organization'))
  return ok([draft(verified, AGENT_CARD_REGISTERED, { agentId: card.agentId, cardVersion: card.cardVersion, card })])
}

/** `session_open`; fences every session of this Agent before it. One begins with a proved key, never on a service's word. */
function decideOpenSession(verified: VerifiedCommand, { agentId }: SessionPayload, env: OrganizationEnv): OrganizationDecision {
  const card = env.cardOf(agentId)
  if (!card || !isCardValid(card, env.now)) return err(reject('INVALID_COMMAND', 'the Agent has no valid Agent Card'))
  const { handshake } = env
  if (handshake?.agentId !== agentId) return err(reject('AUTH_FORBIDDEN', 'the Agent has not proved a key for this session'))
  const { sessionEpoch, keyId } = handshake
  return ok([draft(verified, SESSION_OPENED, { agentId, sessionEpoch, keyId })])
}

type FactKind = typeof AGENT_CARD_REGISTERED | typeof SESSION_OPENED

function draft<K extends FactKind>({ command, signingHash }: VerifiedCommand, kind: K, payload: EventPayloads[K]): OrganizationEventDraft {
  const extensions = relayedExtensions(command)
  return {
    eventId: eventIdOf(signingHash),
    kind,
    actor: command.actor,
    cause: { type: 'command', id: command.actionId },
    correlationId: command.correlationId,
    payload,
    commandHash: signingHash,
    ...(extensions && { extensions }),
  }
}
