import { describe, expect, test } from 'vitest'
import { ada, ben, cora, wanda, wim } from '../../../server/testing/cast.ts'
import { approve, requestChanges } from '../../../server/testing/work-scenario.ts'
import { defaultAllowedLicences } from '../jobs/licence-policy.ts'
import type { Job } from '../review-jobs.ts'
import { JOB_DESCRIPTIONS, JOBS } from '../review-jobs.ts'
import { MissionHistory } from './mission-history.ts'
import { plan } from './plan.ts'
import { AGENTS, ReviewFixture } from './review-fixture.ts'

const kindsOf = (names: readonly string[]) => names.map((name) => name.split(':')[0])
const states = (review: ReviewFixture) => Object.fromEntries(JOBS.map((job) => [job, review.item(job).state]))
const mentioning = { mentions: [cora] }

function submitted(changes?: ConstructorParameters<typeof ReviewFixture>[0]): ReviewFixture {
  const review = new ReviewFixture(changes)
  review.complete()
  return review
}

function sendBack(review: ReviewFixture, comments: string): string[] {
  review.group.accept(ada, 'mission.request_changes', requestChanges(review.group, { comments }))
  return review.advance()
}

describe('the first plan', () => {
  test('explains itself, authorizes four items with their dependencies, brings in both workers and offers everything', () => {
    const review = new ReviewFixture()
    expect(kindsOf(review.advance())).toEqual(['say', 'authorize', 'authorize', 'authorize', 'authorize', 'admit', 'offer', 'offer', 'admit', 'offer', 'offer'])
    const { inventory, licences, links, report } = Object.fromEntries(JOBS.map((job) => [job, review.item(job)])) as Record<Job, ReturnType<ReviewFixture['item']>>
    expect(licences.contract.dependencyWorkItemIds).toEqual([inventory.workItemId])
    expect(report.contract.dependencyWorkItemIds).toEqual([inventory.workItemId, licences.workItemId, links.workItemId])
    expect(review.sayings[0]?.references).toEqual([review.group.log[0]?.eventId])
    expect(inventory.offers.map(({ agentId }) => agentId)).toEqual([wim.id])
    expect(links.offers.map(({ agentId }) => agentId)).toEqual([wanda.id])
  })

  test('keeps every allocation inside the Mission, in the dimensions that the Mission limits (A-25)', () => {
    const review = new ReviewFixture({ budget: { currency: 'EUR', financialLimit: 5, toolCallLimit: 100 } })
    review.advance()
    const budgets = JOBS.map((job) => review.item(job).contract.budget)
    expect(budgets.map((budget) => budget.financialLimit)).toEqual([0, 0, 0, 0])
    expect(budgets.reduce((sum, { toolCallLimit = 0 }) => sum + toolCallLimit, 0)).toBeLessThanOrEqual(100)
    expect(budgets.some((budget) => 'computeSecondsLimit' in budget)).toBe(false)
  })

  test('a criterion that no job is named after lands on the report and in the open risks', () => {
    const review = submitted({
      definitionOfDone: [
        { criterionId: 'links', description: 'All links work.', evidenceRequired: ['schema_validation'] },
        { criterionId: 'changelog', description: 'The changelog is complete.', evidenceRequired: ['business_rule', 'human_review'] },
      ],
    })
    expect(review.item('links').contract.acceptanceCriteria).toMatchObject([{ criterionId: 'links', evidenceRequired: ['schema_validation'] }])
    expect(review.item('report').contract.acceptanceCriteria.map(({ criterionId }) => criterionId)).toEqual(['report', 'changelog'])
    const given = review.group.state.workItems.get(review.item('report').workItemId)!
    const onChangelog = [...given.evidence, ...given.acceptedEvidence].filter(({ criterionIds }) => criterionIds.includes('changelog'))
    expect(onChangelog.map(({ type, result }) => [type, result])).toEqual([['business_rule', 'inconclusive'], ['reviewer_assessment', 'inconclusive']])
    expect(review.group.state.submissions[0]?.openRisks).toEqual([
      '1 package under MPL-2.0, which is not on the list of allowed licences',
      'Nothing in this review checks the criterion changelog: The changelog is complete.',
      'The criterion changelog asks for a human review, which no agent can give',
    ])
  })

  test('waits for a worker that is offline, says so after a minute, and takes no one whose Membership was ended', () => {
    const review = new ReviewFixture()
    review.agents = AGENTS.map((agent) => ({ ...agent, online: agent.agentId !== wanda.id }))
    expect(kindsOf(review.advance()).filter((kind) => kind === 'offer')).toHaveLength(2)
    expect(review.plan().wakeAtMs).toBe(Date.parse(review.group.now) + 3_000)
    review.group.pass(60)
    expect(review.advance()).toEqual(['say:missing:release.link-check', 'say:missing:release.report'])
    review.group.accept(ada, 'membership.change', { member: wanda, role: 'worker' })
    review.group.accept(ada, 'membership.end', { member: wanda, reason: 'Not this one.' })
    review.agents = AGENTS
    expect(review.advance()).toEqual([])
  })
})

describe('to the submission', () => {
  test('reviews every result from its bytes and submits the four artifacts with the open risks', () => {
    const review = submitted()
    const { submissions, mission } = review.group.state
    expect(mission.state).toBe('awaiting_approval')
    expect(submissions[0]?.artifactHashes).toHaveLength(4)
    expect(submissions[0]?.summary).toBe('2 dependencies listed, 1 not under allowed licences. 1 link in 1 Markdown file looked at, none broken. report.md joins the findings.')
    expect(submissions[0]?.openRisks).toEqual(['1 package under MPL-2.0, which is not on the list of allowed licences'])
    expect(review.sayings.at(-1)?.text).toContain('waits for your decision')
  })

  test('accepts right work that found something amiss, and does not call its criterion met', () => {
    const review = submitted()
    const { evidence, acceptedEvidence } = review.group.state.workItems.get(review.item('licences').workItemId)!
    expect(evidence.map(({ type, result, details }) => [type, result, details])).toEqual([['policy_check', 'failed', { allowed: 1, denied: 1, unreadable: 0 }]])
    expect(acceptedEvidence.map(({ type, result }) => [type, result])).toEqual([['reviewer_assessment', 'inconclusive']])
  })

  test('a Coordinator that is started again at any point does the same next', () => {
    const review = submitted()
    for (let length = 1; length <= review.group.log.length; length++) {
      const [live, again] = [new MissionHistory(), new MissionHistory()]
      const events = review.group.log.slice(0, length)
      for (const event of events) live.apply(event)
      for (const event of [...events.slice(0, 5), ...events]) again.apply(event)
      const context = { me: cora.id, nowMs: Date.parse(review.group.now), agents: AGENTS, contents: new Map() }
      expect(plan(again, context)).toEqual(plan(live, context))
    }
  })

  test('no step happens twice when it is started again after each of its steps', () => {
    const review = new ReviewFixture()
    for (const job of JOBS) {
      review.advance()
      review.restart()
      review.work(job)
      review.restart()
    }
    review.advance()
    review.restart()
    expect(review.advance()).toEqual([])
    expect(review.group.state.mission.state).toBe('awaiting_approval')
  })

  test.each([
    ['bytes that do not follow from the inventory', { bytes: (bytes: Uint8Array) => new TextEncoder().encode(new TextDecoder().decode(bytes).replace('denied', 'allowed')) }],
    ['evidence that says what the content does not', { evidence: (evidence: Parameters<NonNullable<NonNullable<Parameters<ReviewFixture['work']>[1]>['evidence']>>[0]) => evidence.map((item) => ({ ...item, result: 'passed' as const })) }],
  ])('sends back %s, and offers the work again', (_what, change) => {
    const review = new ReviewFixture()
    review.advance()
    review.work('inventory')
    review.advance()
    review.work('licences', change)
    expect(kindsOf(review.advance())).toEqual(['reject'])
    expect(review.item('licences').state).toBe('failed')
    review.group.pass(1)
    expect(kindsOf(review.advance())).toEqual(['offer'])
    review.work('licences')
    expect(kindsOf(review.advance())).toEqual(['accept'])
  })
})

describe('when changes are requested', () => {
  test('a named licence is allowed, checked again and reported; inventory and links stay', () => {
    const review = submitted()
    const before = states(review)
    const kept = { inventory: review.item('inventory').workItemId, links: review.item('links').workItemId }
    const names = sendBack(review, 'Please allow MPL-2.0.')
    expect(kindsOf(names)).toEqual(['say', 'authorize', 'authorize', 'offer', 'offer'])
    expect(before).toEqual(Object.fromEntries(JOBS.map((job) => [job, 'verified'])))
    expect(review.item('licences').contract.constraints).toEqual({ allowedLicences: [...defaultAllowedLicences, 'MPL-2.0'].sort() })
    expect(review.item('report').contract.dependencyWorkItemIds).toEqual([kept.inventory, review.item('licences').workItemId, kept.links])
    expect(review.sayings.at(-1)?.text).toBe('Now allowed: MPL-2.0. Done again: the licence check, the report. Unchanged: the list of dependencies, the link check.')
    review.complete()
    const [first, second] = review.group.state.submissions
    expect(second?.openRisks).toEqual([])
    expect(second?.artifactHashes.filter((hash) => first?.artifactHashes.includes(hash))).toHaveLength(2)
    expect(second?.summary).toContain('Since the last revision: Now allowed: MPL-2.0.')
    review.group.accept(ada, 'mission.approve', approve(review.group))
    expect(review.advance()).toEqual([])
  })

  test('a comment that names nothing has only the report written again, with the comment in it', () => {
    const review = submitted()
    expect(kindsOf(sendBack(review, 'I do not like it.'))).toEqual(['say', 'authorize', 'offer'])
    expect(review.item('report').contract.constraints).toMatchObject({ changeRequest: { comment: 'I do not like it.' } })
    expect(review.sayings.at(-1)?.text).toContain('names no licence that was refused')
    review.complete()
    expect(review.group.state.submissions).toHaveLength(2)
  })

  test('a check that the comment names is done again, with everything that rests on it', () => {
    const review = submitted()
    const authorized = sendBack(review, 'Look at the dependencies again.').filter((name) => name.startsWith('authorize'))
    expect(authorized).toHaveLength(3)
    expect(review.item('licences').contract.dependencyWorkItemIds).toEqual([review.item('inventory').workItemId])
    expect(review.item('licences').state).toBe('offered')
    expect(review.item('links').state).toBe('verified')
  })

  test('licences allowed in one round stay allowed in the next', () => {
    const review = submitted()
    sendBack(review, 'Please allow MPL-2.0.')
    review.complete()
    sendBack(review, 'Check the dependencies again.')
    expect(review.item('licences').contract.constraints).toMatchObject({ allowedLicences: expect.arrayContaining(['MPL-2.0']) })
  })
})

describe('offers that come to nothing', () => {
  test('an expired offer is made again until the retry policy is exhausted; a person may grant more', () => {
    const review = new ReviewFixture()
    review.advance()
    for (let round = 2; round <= 5; round++) {
      expect(review.plan().steps).toEqual([])
      review.group.pass(121)
      expect(kindsOf(review.advance())).toEqual(['offer', 'offer', 'offer', 'offer'])
    }
    review.group.pass(121)
    expect(kindsOf(review.advance())).toEqual(['say', 'say', 'say', 'say'])
    expect(review.sayings.at(-1)?.text).toContain('did not succeed in 5 attempts')
    review.post(ada, 'Please try again.', mentioning)
    expect(kindsOf(review.advance())).toEqual(['say', 'offer', 'offer', 'offer', 'offer'])
    // The authority counts attempts by the contract, so what was granted has to be in it.
    expect(review.item('links').contract).toMatchObject({ contractVersion: 2, retryPolicy: { maxAttempts: 10 } })
  })

  test('an owner that could have started and let its lease run out is replaced', () => {
    const review = new ReviewFixture()
    review.advance()
    for (const job of ['inventory', 'licences'] as const) {
      const { workItemId, offers } = review.item(job)
      review.group.accept(wim, 'work.accept_offer', { workItemId, offerId: offers[0]!.offerId, ownershipLeaseSeconds: 60 })
    }
    review.group.pass(61)
    expect(review.advance()).toEqual([`offer:${review.item('inventory').workItemId}:1`])
  })

  test('a failure is tried again after a growing delay', () => {
    const review = new ReviewFixture()
    review.advance()
    for (const seconds of [1, 2, 4, 8]) {
      review.fail('inventory', 'INPUT_UNUSABLE')
      expect(review.advance()).toEqual([])
      expect(review.plan().wakeAtMs).toBeLessThanOrEqual(Date.parse(review.group.now) + seconds * 1000)
      review.group.pass(seconds)
      expect(kindsOf(review.advance())).toContain('offer')
    }
    review.fail('inventory', 'INPUT_UNUSABLE')
    review.group.pass(60)
    expect(kindsOf(review.advance())).toContain('say')
    expect(review.item('inventory').state).toBe('failed')
  })

  test('a failure that the retry policy does not name is not tried again', () => {
    const review = new ReviewFixture()
    review.advance()
    review.fail('links', 'BUDGET_EXCEEDED')
    review.group.pass(60)
    expect(kindsOf(review.advance())).toEqual(['say'])
  })

  test('work that the owner cancelled is not brought back', () => {
    const review = new ReviewFixture()
    review.advance()
    review.group.accept(ada, 'work.cancel', { workItemId: review.item('links').workItemId, reason: 'No need.' })
    expect(kindsOf(review.advance())).toEqual(['say'])
    expect(review.sayings.at(-1)?.text).toContain(`“${JOB_DESCRIPTIONS.links.goal}” was cancelled`)
  })
})

describe('beside the work', () => {
  test('the Coordinator lease is renewed at half-time, for as long again (A-118)', () => {
    const review = new ReviewFixture({ coordinatorLeaseSeconds: 600 })
    review.advance()
    review.group.pass(299)
    expect(kindsOf(review.advance())).not.toContain('renew')
    review.group.pass(1)
    expect(review.advance()).toContain(`renew:${review.group.state.coordinatorLease.leaseId}:0`)
    expect(review.group.state.coordinatorLease).toMatchObject({ renewalCount: 1, expiresAt: '2026-11-29T12:15:00.000Z' })
  })

  test('with a lease that has run out it only says so, once (A-120)', () => {
    const review = new ReviewFixture({ coordinatorLeaseSeconds: 600 })
    review.group.pass(600)
    expect(kindsOf(review.advance())).toEqual(['say'])
    expect(review.group.state.workItems.size).toBe(0)
  })

  test('put back in charge by the owner it takes stock, goes on and renews its new lease, under names that it has not used (A-120, A-121)', () => {
    const review = new ReviewFixture({ coordinatorLeaseSeconds: 600 })
    review.group.pass(300)
    const first = review.advance().filter((name) => name.startsWith('renew:'))
    review.group.pass(600)
    expect(kindsOf(review.advance())).toEqual(['say'])
    review.group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: review.group.state.mission.coordinator.agentId, leaseSeconds: 600, reason: 'It is back.' })
    expect(kindsOf(review.advance())[0]).toBe('reconcile')
    expect(review.group.state.takeover).toBeUndefined()
    review.group.pass(300)
    const second = review.advance().filter((name) => name.startsWith('renew:'))
    expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([1, 1, 2])
    expect(review.group.state.coordinatorLease).toMatchObject({ coordinatorEpoch: 2, renewalCount: 1 })
  })

  test('a person who mentions it gets one answer, in the same Conversation', () => {
    const review = new ReviewFixture()
    review.advance()
    const conversationId = review.group.state.workItems.get(review.item('links').workItemId)!.item.conversationId
    review.group.accept(ada, 'membership.change', { member: ben, role: 'observer' })
    review.post(ben, 'Hello everybody.')
    review.post(ben, 'For Wim.', { mentions: [wim] })
    const question = review.post(ben, 'How is it going?', { ...mentioning, conversationId })
    expect(kindsOf(review.advance())).toEqual(['say'])
    expect(review.sayings.at(-1)).toMatchObject({ references: [question], conversationId })
    expect(review.sayings.at(-1)?.text).toMatch(/^0 of 4 pieces of work are verified\./)
  })

  test('a proposal is answered, not taken on', () => {
    const review = new ReviewFixture()
    review.advance()
    const contract = { ...review.item('links').contract, goal: 'Paint the shed' }
    review.group.accept(ada, 'work.propose', { proposalId: 'urn:uuid:0e1f0c0a-0000-4000-8000-000000000001', contract })
    expect(kindsOf(review.advance())).toEqual(['say'])
    expect(review.sayings.at(-1)?.text).toContain('“Paint the shed”')
  })

  test('another Coordinator’s Mission is left alone', () => {
    const review = new ReviewFixture()
    review.plan()
    expect(plan(review.history, { me: wim.id, nowMs: 0, agents: AGENTS, contents: new Map() })).toEqual({ steps: [] })
  })
})
