import { describe, expect, it } from 'vitest'
import type { AgentCard, Command, CommandPayloads } from '../../protocol/generated/types.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { validateEventPayload } from '../../protocol/validate.ts'
import { ada, agentCard, groupAuthority, organizationId, registry, router, START, urnOf, wim } from '../testing/cast.ts'
import { saw } from '../testing/evidence.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { decideOrganization } from './organization.ts'
import { DEFAULT_POLICY } from './policy.ts'
import type { OrganizationEnv, VerifiedCommand } from './types.ts'

const REGISTER = 'ext.missionweaveprotocol.registry.agent_card_register'
const OPEN = 'ext.missionweaveprotocol.identity.session_open'
const handshake = { agentId: wim.id, keyId: urnOf('key'), sessionEpoch: 4 }

function service<K extends keyof CommandPayloads>(kind: K, payload: CommandPayloads[K], changes: Partial<Command> = {}): VerifiedCommand {
  const verified = new GroupFixture().command(registry, kind, payload, changes)
  const { groupId: _groupId, ...command } = verified.command
  return { ...verified, command }
}

function decided(verified: VerifiedCommand, changes: Partial<OrganizationEnv> = {}, cards: readonly AgentCard[] = [agentCard(wim)]) {
  const cardOf = (agentId: string) => cards.find((card) => card.agentId === agentId)
  const env = { now: START, organizationId, authority: groupAuthority, registry, router, cardOf, sessionEpochOf: () => 3, missionFacts: () => undefined, policy: DEFAULT_POLICY, isAdmin: () => false, isDataSchema: () => true, coordinates: () => false, ...changes }
  const decision = decideOrganization(verified, env)
  for (const draft of decision.ok ? decision.value : []) {
    expect(validateEventPayload(draft.kind as EventPayloadKind, draft.payload)).toBeUndefined()
    saw('event', draft.kind)
  }
  const { kind } = verified.command
  if (decision.ok) saw('accepted', kind)
  else saw('refused', kind, decision.error.code, 'organization')
  return decision
}

const refused = (code: string) => ({ ok: false, error: { code } })

describe('agent_card_register', () => {
  it('records a first card as a fact of the Organization, without Group, sequence or revision (A-28, A-231)', () => {
    const command = service(REGISTER, { card: agentCard(wim) })
    const decision = decided(command, {}, [])
    expect(decision).toMatchObject({
      ok: true,
      value: [{ kind: 'ext.missionweaveprotocol.registry.agent_card_registered', actor: registry, commandHash: command.signingHash, payload: { agentId: wim.id, cardVersion: 1, card: agentCard(wim) } }],
    })
    for (const member of ['groupId', 'sequence', 'aggregateRevision']) expect(decision.ok && decision.value[0]).not.toHaveProperty(member)
  })

  it('takes higher versions only', () => {
    const register = (cardVersion: number, changes = {}) => decided(service(REGISTER, { card: agentCard(wim, { cardVersion }) }, changes), {}, [agentCard(wim, { cardVersion: 2 })])
    expect(register(3)).toMatchObject({ ok: true })
    expect(register(2)).toMatchObject(refused('REVISION_CONFLICT'))
    expect(register(1)).toMatchObject({ ok: false, error: { currentRevision: 2 } })
    expect(register(3, { expectedRevision: 1 })).toMatchObject(refused('REVISION_CONFLICT'))
    expect(register(3, { expectedRevision: 2 })).toMatchObject({ ok: true })
  })

  it('refuses cards of other Organizations and senders that are no service (A-216)', () => {
    const card = agentCard(wim)
    expect(decided(service(REGISTER, { card: { ...card, organizationId: urnOf('other') } }), {}, [])).toMatchObject(refused('AUTH_FORBIDDEN'))
    expect(decided(service(REGISTER, { card }, { actor: ada }), {}, [])).toMatchObject(refused('AUTH_FORBIDDEN'))
    expect(decided(service(REGISTER, { card }, { actor: groupAuthority }), {}, [])).toMatchObject(refused('AUTH_FORBIDDEN'))
    expect(decided({ ...service(REGISTER, { card }), keyUse: 'agent' }, {}, [])).toMatchObject(refused('AUTH_FORBIDDEN'))
  })
})

describe('session_open', () => {
  it('records the Session Epoch reserved for a proved handshake (A-35)', () => {
    const command = service(OPEN, { agentId: wim.id })
    expect(decided(command, { handshake })).toMatchObject({
      ok: true,
      value: [{ kind: 'ext.missionweaveprotocol.identity.session_opened', cause: { type: 'command', id: command.command.actionId }, payload: { agentId: wim.id, sessionEpoch: 4, keyId: urnOf('key') } }],
    })
  })

  it('needs that handshake, by that Agent (A-34)', () => {
    const command = service(OPEN, { agentId: wim.id })
    expect(decided(command)).toMatchObject(refused('AUTH_FORBIDDEN'))
    expect(decided(command, { handshake: { ...handshake, agentId: urnOf('other') } })).toMatchObject(refused('AUTH_FORBIDDEN'))
  })

  it('needs a valid card', () => {
    const command = service(OPEN, { agentId: wim.id })
    expect(decided(command, { handshake }, [])).toMatchObject(refused('INVALID_COMMAND'))
    expect(decided(command, { handshake }, [agentCard(wim, { status: 'revoked' })])).toMatchObject(refused('INVALID_COMMAND'))
  })
})

describe('anything else', () => {
  it('is no Command of the Organization', () => {
    expect(decided(service('mission.cancel', { reason: 'x' }))).toMatchObject(refused('INVALID_COMMAND'))
    expect(decided(service(OPEN, {} as never))).toMatchObject(refused('SCHEMA_VALIDATION_FAILED'))
  })

  it('relays extensions and the stated cause (A-244)', () => {
    const extensions = { 'urn:example:trace': { version: '1.0.0', critical: false, data: 7 } }
    const decision = decided(service(OPEN, { agentId: wim.id }, { extensions, causedByEventId: urnOf('event') }), { handshake })
    expect(decision.ok && decision.value[0]?.extensions).toMatchObject({ ...extensions, 'urn:countersign:extension:caused-by': { critical: false, data: { eventId: urnOf('event') } } })
  })
})
