import { describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import { exampleCommandPayloads } from '../../protocol/testing/example-payloads.ts'
import { approveDraft, bytesOf, createDraft, IDS, ORIGIN, STAMP } from './signing-fixture.ts'
import { planSigning } from './signing-plan.ts'
import { describePlan, STATEMENT_TEMPLATE, type Statement } from './statement.ts'

function statementOf(bytes: Uint8Array): Statement {
  const plan = planSigning(bytes, ORIGIN)
  if (!plan.ok) throw new Error('unreadable')
  return describePlan(plan.value)
}

const sentence = (statement: Statement) => statement.sentence.map((part) => ('text' in part ? part.text : 'quote' in part ? `“${part.quote}”` : `<${part.id}>`)).join('')

const withPayload = (members: object) => bytesOf({ ...createDraft, payload: { ...(createDraft.payload as object), ...members } })

describe('describePlan', () => {
  it('says in one sentence what creating a mission means', () => {
    expect(sentence(statementOf(bytesOf(createDraft)))).toBe(
      `Create the mission “Release review”, be its accountable owner, and make <${IDS.coordinator}> its coordinator.`,
    )
  })

  it.each([
    ['approved', 'Approve'],
    ['changes_requested', 'Ask for changes to'],
    ['denied', 'Deny'],
  ])('names revision and number of artifacts of a decision: %s', (decision, verb) => {
    const draft = {
      ...approveDraft,
      payload: { approval: { ...(approveDraft.payload as (stamp: typeof STAMP) => { approval: object })(STAMP).approval, decision } },
    }
    expect(sentence(statementOf(bytesOf(draft)))).toBe(`${verb} revision 17 of mission <${IDS.mission}>: 2 artifacts.`)
  })

  it('says who is to coordinate which mission, and what a new mission follows up (A-120, A-109)', () => {
    const assign = bytesOf({ ...createDraft, kind: 'mission.assign_coordinator', payload: { coordinatorAgentId: IDS.coordinator, reason: 'No answer.' } })
    expect(sentence(statementOf(assign))).toMatch(new RegExp(`^Make <${IDS.coordinator}> the coordinator of mission <.+> instead of whoever coordinates it now\\.$`))
    expect(statementOf(assign).facts).toContainEqual({ label: 'Reason', values: ['No answer.'], form: 'text' })
    const followUp = bytesOf({ ...createDraft, kind: 'mission.create_follow_up', payload: { ...(createDraft.payload as object), followUpOfMissionId: IDS.mission } })
    expect(sentence(statementOf(followUp))).toContain(`as a follow-up of mission <${IDS.mission}>`)
  })

  it('says which version of the policy comes into force, and each of its rules in words (A-223)', () => {
    const { policy, reason } = exampleCommandPayloads['ext.countersign.policy.change']
    const shown = statementOf(bytesOf({ ...createDraft, kind: 'ext.countersign.policy.change', expectedRevision: 0, payload: { policy, reason } }))
    expect(sentence(shown)).toBe('Put version 1 of the organization’s policy in force instead of version 0.')
    expect(shown.facts.map(({ label }) => label)).toEqual(['Reason', 'Version', 'Approval by risk', 'Operations that wait for approval', 'Limits for each member in each mission', 'Levels', 'Services and what they may do in every mission', 'A signed command is taken for, seconds'])
    const valuesOf = (label: string) => shown.facts.find((fact) => fact.label === label)!.values
    expect(valuesOf('Approval by risk')).toContain('Work of high risk: a person approves its start: yes; the root owner approves a child mission: yes')
    expect(valuesOf('Operations that wait for approval')).toEqual(expect.arrayContaining(['Payment: "pay.invoice"', 'Sensitive data: none']))
    expect(valuesOf('Limits for each member in each mission')).toContain('Messages a minute: 60')
    expect(valuesOf('Services and what they may do in every mission')).toEqual([`Service: "${policy.services[0]!.principalId}"; may do: "mission.cancel"`])
  })

  it('lets no text inside a value pass for another member', () => {
    const { facts } = statementOf(withPayload({ surprise: [{ amount: '1"; more: 2' }] }))
    expect(facts).toContainEqual({ label: 'surprise', values: ['amount: "1\\"; more: 2"'], form: 'text' })
  })

  it('says who is brought in as what, and that this assigns no work (A-128)', () => {
    const payload = { member: { type: 'agent', id: IDS.coordinator }, role: 'work_delegate', visibilityStartSequence: 12 }
    const statement = statementOf(bytesOf({ ...createDraft, kind: 'membership.change', payload }))
    expect(sentence(statement)).toMatch(new RegExp(`^Give <${IDS.coordinator}> the role of work delegate in mission <.+>\\.$`))
    expect(statement.next).toContain('assigns no work')
    expect(statement.facts).toContainEqual({ label: 'Member', values: [`agent ${IDS.coordinator}`], form: 'actor' })
    expect(statement.facts).toContainEqual({ label: 'Reads the log from entry', values: ['12'], form: 'text' })
  })

  it.each(['human', 'agent'])('speaks of a member whose membership ends as one may of a person: %s', (type) => {
    const ended = statementOf(bytesOf({ ...createDraft, kind: 'membership.end', payload: { member: { type, id: IDS.coordinator }, reason: 'Done.' } }))
    expect(sentence(ended)).toMatch(new RegExp(`^End the membership of <${IDS.coordinator}> in mission <.+>\\.$`))
    expect(ended.next).toBe('The member sees nothing that follows, and what they still send is refused.')
  })

  it('shows a member whole that is more than type and id', () => {
    const statement = statementOf(bytesOf({ ...createDraft, kind: 'membership.change', payload: { member: { type: 'agent', id: IDS.coordinator, more: 'x' } } }))
    expect(statement.facts).toContainEqual({ label: 'Member', values: ['Type: agent', `id: ${IDS.coordinator}`, 'more: x'], form: 'text' })
  })

  it('says that the owner steps in, to whom work is offered and what for (A-117)', () => {
    const one = { workItemId: IDS.event, candidateAgentIds: [IDS.coordinator], overrideReason: 'Nobody answers.' }
    const offered = (payload: object) => statementOf(bytesOf({ ...createDraft, kind: 'work.offer', payload }))
    expect(sentence(offered(one))).toMatch(new RegExp(`^Step in .+ and offer work item <${IDS.event}> to <${IDS.coordinator}>\\.$`))
    expect(sentence(offered({ ...one, candidateAgentIds: [IDS.coordinator, IDS.me] }))).toContain('to 2 agents.')
    expect(offered(one).facts).toContainEqual({ label: 'Reason for stepping in', values: ['Nobody answers.'], form: 'text' })
    const contract = { goal: 'Count again.', acceptanceCriteria: [{ criterionId: 'sum', description: 'It adds up.', evidenceRequired: ['policy_check'] }] }
    const authorized = statementOf(bytesOf({ ...createDraft, kind: 'work.authorize', payload: { workItemId: IDS.event, contract, overrideReason: 'Now.' } }))
    expect(sentence(authorized)).toContain('authorize the work “Count again.”.')
    expect(authorized.facts).toContainEqual({ label: 'Accepted when', values: ['sum, proven by policy check: It adds up.'], form: 'text' })
  })

  it.each([
    ['approved', 'Approve'],
    ['changes_requested', 'Ask for changes to'],
  ])('says that the mission is part of one’s own: %s (A-207)', (decision, verb) => {
    const { approval } = (approveDraft.payload as (stamp: typeof STAMP) => { approval: object })(STAMP)
    const statement = statementOf(bytesOf({ ...approveDraft, kind: 'ext.countersign.mission.root_decide', payload: { approval: { ...approval, kind: 'child_mission', decision } } }))
    expect(sentence(statement)).toBe(`${verb} revision 17 of mission <${IDS.mission}>, which is part of yours: 2 artifacts.`)
    expect(statement.next).toContain('owns that mission')
  })

  it('says what happens next for every act that it has a sentence for, but for those that nobody gives here', () => {
    const { sentences, next } = STATEMENT_TEMPLATE
    expect(Object.keys(sentences).filter((key) => !Object.hasOwn(next, key))).toEqual(['approval/denied', 'approval/revoked', 'sign-in', 'add-key', 'command'])
  })

  it('says what the start of work is approved on (A-196)', () => {
    const { approval } = (approveDraft.payload as (stamp: typeof STAMP) => { approval: object })(STAMP)
    const conditions = ['Until 2026-12-01T10:00:00Z.', 'On urn:example:production: deploy.']
    const start = bytesOf({ ...approveDraft, kind: 'approval.grant_execution', payload: { approval: { ...approval, kind: 'work_execution', workItemId: IDS.event, artifactHashes: [], conditions } } })
    expect(sentence(statementOf(start))).toBe(`Let the present owner of work item <${IDS.event}> start it, on the conditions below.`)
    expect(statementOf(start).facts).toContainEqual({ label: 'Conditions', values: conditions, form: 'text' })
  })

  it('takes its words from the bytes: another title gives another sentence', () => {
    expect(sentence(statementOf(withPayload({ title: 'Pay everybody' })))).toContain('“Pay everybody”')
  })

  it('never leaves out a member, not even one it has no words for', () => {
    const { facts } = statementOf(withPayload({ surprise: { amount: 1e6 }, constructor: 'x' }))
    expect(facts).toContainEqual({ label: 'surprise', values: ['amount: 1,000,000'], form: 'text' })
    expect(facts).toContainEqual({ label: 'constructor', values: ['x'], form: 'text' })
  })

  it('lists every criterion with its evidence, every budget limit and the envelope', () => {
    const { facts, envelope } = statementOf(bytesOf(createDraft))
    expect(facts).toContainEqual({ label: 'Done when', values: ['links, proven by deterministic test: Every link works.'], form: 'text' })
    expect(facts).toContainEqual({ label: 'Budget', values: ['Cost: 50', 'Currency: EUR'], form: 'text' })
    expect(envelope.map((fact) => fact.label)).toEqual(expect.arrayContaining(['Action id', 'Signed as', 'Prepared at', 'Kind']))
  })

  it('says what proves a criterion before its words, which can then pass for no proof', () => {
    const words = 'It adds up. (proven by human review)'
    const contract = { goal: 'Count again.', acceptanceCriteria: [{ criterionId: 'sum', description: words, evidenceRequired: ['worker_claim'], note: 1 }] }
    const { facts } = statementOf(bytesOf({ ...createDraft, kind: 'work.authorize', payload: { workItemId: 'urn:x:w', proposalId: 'urn:x:p', contract } }))
    expect(facts.find(({ label }) => label === 'Accepted when')?.values).toEqual([`sum, proven by worker claim, {"note":1}: ${words}`])
  })

  it('shows both hashes of a decision in full', () => {
    const hashes = statementOf(bytesOf(approveDraft)).facts.find((fact) => fact.form === 'hash')
    expect(hashes?.values).toEqual([`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`])
  })

  it('does not let a kind pick a sentence of another form', () => {
    expect(sentence(statementOf(bytesOf({ ...createDraft, kind: 'sign-in' as never })))).toBe('Sign the command “sign-in”.')
    expect(sentence(statementOf(bytesOf({ ...createDraft, kind: 'toString' as never })))).toBe('Sign the command “toString”.')
  })

  it('words the sign-in and the authorization of a key', () => {
    const challenge = encodeCanonical({ audience: ORIGIN, challengeId: 'c', expiresAt: STAMP.issuedAt, purpose: 'countersign.console.sign-in' })
    const addition = encodeCanonical({ challengeId: 'c', publicKey: 'A'.repeat(43), purpose: 'countersign.console.add-key', use: 'authority' })
    expect(sentence(statementOf(challenge))).toBe(`Sign in to “${ORIGIN}”.`)
    expect(sentence(statementOf(addition))).toBe('Let a new authority key sign as you.')
  })

  it('names the template by id and by the hash of its own content', () => {
    const { templateId, templateHash } = statementOf(bytesOf(createDraft))
    expect(templateId).toBe('countersign.statement/7')
    expect(templateHash).toBe(sha256Hash(encodeCanonical(STATEMENT_TEMPLATE)))
  })
})
