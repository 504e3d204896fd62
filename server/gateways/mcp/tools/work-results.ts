// Telling how work stands: progress, the result, or that there will be none.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { Rejection } from '../../../../protocol/error-codes.ts'
import type { Evidence, Usage } from '../../../../protocol/generated/types.ts'
import { RESOURCE_USAGE_RECORD } from '../../../../protocol/kinds.ts'
import type { Result } from '../../../../protocol/result.ts'
import { err, ok } from '../../../../protocol/result.ts'
import type { ExecutedWork } from '../mission.ts'
import { citation, executeWork, standing, submit } from '../mission.ts'
import { newUrn } from '../new-urn.ts'
import type { ToolCall } from '../tool.ts'
import { answer, defineTool, refuse, refuseCommand, textOf } from '../tool.ts'
import { changes, defaultLeaseSeconds, leaseSeconds, workName, workOutput } from './work-name.ts'
import { startWork } from './work-start.ts'

const line = (what: string) => z.string().min(1).max(1_000).describe(what)
const lines = (what: string) => z.array(z.string().min(1).max(1_000)).max(50).optional().describe(what)
const contentHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 lower-case hex digits')

const count = (what: string) => z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe(what)
const usage = z
  .strictObject({
    model_tokens: count('Model tokens, input and output.'),
    tool_calls: count('Tool calls.'),
    wall_clock_seconds: count('Seconds that passed while you worked.'),
    compute_seconds: count('Seconds of computing.'),
    financial: z.number().min(0).optional().describe('Money, in the currency of the contract’s budget.'),
    external_side_effects: count('Effects outside the Mission.'),
  })
  .optional()
  .describe('What you have used since you said so last, to be charged to the budget of the work; only dimensions that the contract limits.')

export const workCheckpoint = defineTool({
  name: 'work_checkpoint',
  title: 'Record progress',
  description:
    'Records how far you are with work that you execute, for everybody in the Mission to see, so that you or somebody else can go on from there. By default you go on executing under a new lease. With continue false the work is paused and waits in your queue: do that when you are asked to pause or will be away.',
  input: z.strictObject({
    ...workName,
    phase: line('What you are doing now, in a few words.'),
    milestones: lines('What is done.'),
    next: line('What will be recorded next.'),
    blockers: lines('What holds you back, if anything.'),
    estimated_completion: z.iso.datetime({ offset: true }).optional().describe('When you expect to be done (RFC 3339); the deadline if you do not say.'),
    usage,
    continue: z.boolean().optional().describe('Whether you go on at once; true if you do not say.'),
    lease_seconds: leaseSeconds,
  }),
  output: workOutput,
  annotations: changes,
  async run(call, { group_id, work_item_id, phase, milestones = [], next, blockers = [], estimated_completion, usage, continue: goesOn = true, lease_seconds = defaultLeaseSeconds }) {
    const name = { group_id, work_item_id }
    const work = await executeWork(call, name)
    if (!work.ok) return work.error
    const { record, lease } = work.value
    const charged = await charge(call, work.value, usage)
    if (!charged.ok) return charged.error
    const progress = {
      currentPhase: phase,
      completedMilestones: milestones,
      nextCheckpoint: next,
      blockers,
      updatedCompletionEstimate: estimated_completion ?? record.item.contract.deadline,
      evidenceIds: [],
    }
    const recorded = await submit(call, 'work.checkpoint', { ...citation(record, lease), progress }, { groupId: group_id, workItemId: work_item_id })
    if (!recorded.ok) return refuseAfterCharge(recorded.error, usage)
    if (!goesOn) return answer(await standing(call, name))
    const started = await startWork(call, name, lease_seconds)
    return answer(await standing(call, name, started.ok ? {} : { not_started: `${started.error.code}: ${started.error.message}` }))
  },
})

const finding = z.strictObject({
  criterion_id: z.string().min(1).describe('criterionId of the acceptance criterion in the contract.'),
  type: z
    .enum(['artifact_integrity', 'schema_validation', 'deterministic_test', 'business_rule', 'policy_check'])
    .describe('What kind of evidence it is. A criterion needs one for each kind in its evidenceRequired; reviewer_assessment and human_review are given by others. Where it asks for those alone, give artifact_integrity.'),
  method: z.string().min(1).max(4_000).describe('What you did to find out, so that somebody else can repeat it.'),
  result: z.enum(['passed', 'failed', 'inconclusive']).describe('What came out. It is signed in your name: the truth, also where it is not in order.'),
  details: z.record(z.string(), z.unknown()).optional().describe('Figures and facts behind it.'),
  artifact_hashes: z.array(contentHash).max(100).optional().describe('The artifacts that it is about; all that you hand in if you do not say.'),
})

const model = z.string().min(1).max(200).optional().describe('The model that did the work, with its version.')

export const workSubmit = defineTool({
  name: 'work_submit',
  title: 'Hand work in',
  description:
    'Hands in work that you execute: the artifacts that you published for it, and evidence for every acceptance criterion of its contract. It is signed in your name and ends your execution; the Coordinator reviews it. Publish everything with artifact_publish first.',
  input: z.strictObject({
    ...workName,
    artifact_hashes: z.array(contentHash).min(1).max(100).describe('content_hash of every artifact that you hand in.'),
    evidence: z.array(finding).min(1).max(100).describe('What you found out about each criterion.'),
    usage,
    model,
  }),
  output: workOutput,
  annotations: changes,
  async run(call, { group_id, work_item_id, artifact_hashes, evidence, usage, model }) {
    const name = { group_id, work_item_id }
    const work = await executeWork(call, name)
    if (!work.ok) return work.error
    const descriptions = evidence.map(({ criterion_id, type, method, result, details, artifact_hashes: about = artifact_hashes }): Finding => ({
      type,
      subject: about.length === 1 ? { type: 'artifact', id: about[0]! } : { type: 'work_item', id: work_item_id },
      criterionIds: [criterion_id],
      method,
      result,
      artifactHashes: about,
      ...(details && { details }),
      ...(model !== undefined && { modelVersion: model }),
    }))
    const signed = await signFindings(call, work.value, descriptions)
    if (!signed.ok) return signed.error
    const charged = await charge(call, work.value, usage)
    if (!charged.ok) return charged.error
    const payload = { ...citation(work.value.record, work.value.lease), artifactHashes: artifact_hashes, evidence: signed.value }
    const submitted = await submit(call, 'work.submit', payload, { groupId: group_id, workItemId: work_item_id })
    return submitted.ok ? answer(await standing(call, name)) : refuseAfterCharge(submitted.error, usage)
  },
})

export const workFail = defineTool({
  name: 'work_fail',
  title: 'Give work up',
  description:
    'Gives up work that you execute because it cannot be done as the contract says. It fails under your signature and the Coordinator decides what happens next. If help could still bring it about, use ask_for_help instead.',
  input: z.strictObject({
    ...workName,
    reason: z.string().min(1).max(4_000).describe('Why it cannot be done, and what you tried.'),
    details: z.record(z.string(), z.unknown()).optional().describe('Figures and facts behind it.'),
    model,
  }),
  output: workOutput,
  annotations: { ...changes, destructiveHint: true },
  async run(call, { group_id, work_item_id, reason, details, model }) {
    const name = { group_id, work_item_id }
    const work = await executeWork(call, name)
    if (!work.ok) return work.error
    const { record, lease } = work.value
    const description: Finding = {
      type: 'failure_report',
      subject: { type: 'work_item', id: work_item_id },
      criterionIds: record.item.contract.acceptanceCriteria.map(({ criterionId }) => criterionId),
      method: reason,
      result: 'failed',
      artifactHashes: [],
      ...(details && { details }),
      ...(model !== undefined && { modelVersion: model }),
    }
    const signed = await signFindings(call, work.value, [description])
    if (!signed.ok) return signed.error
    const failed = await submit(call, 'work.fail', { ...citation(record, lease), reason, evidence: signed.value }, { groupId: group_id, workItemId: work_item_id })
    return failed.ok ? answer(await standing(call, name)) : refuseCommand(failed.error)
  },
})

/** Charges the account of the work before the Command after which nothing can be charged any more. */
async function charge(call: ToolCall, { state, record, lease }: ExecutedWork, used: z.infer<typeof usage>): Promise<Result<void, CallToolResult>> {
  const { currency } = record.item.contract.budget
  const usageDelta = used === undefined ? {} : { ...usageOf(used), ...(used.financial !== undefined && currency !== undefined && { currency }) }
  if (Object.values(used ?? {}).every((amount) => amount === 0)) return ok(undefined)
  const charged = await submit(call, RESOURCE_USAGE_RECORD, { ...citation(record, lease), usageDelta }, { groupId: state.groupId, workItemId: record.item.workItemId })
  return charged.ok ? charged : err(refuseCommand(charged.error))
}

/** What was charged stays charged, so the next attempt has to leave it out. */
function refuseAfterCharge(rejection: Rejection, used: z.infer<typeof usage>): CallToolResult {
  const refusal = refuseCommand(rejection)
  return used === undefined ? refusal : refuse(`${textOf(refusal)} The usage is charged already; leave it out when you try again.`)
}

function usageOf({ model_tokens, tool_calls, wall_clock_seconds, compute_seconds, financial, external_side_effects }: NonNullable<z.infer<typeof usage>>): Usage {
  return {
    ...(model_tokens !== undefined && { modelTokens: model_tokens }),
    ...(tool_calls !== undefined && { toolCalls: tool_calls }),
    ...(wall_clock_seconds !== undefined && { wallClockSeconds: wall_clock_seconds }),
    ...(compute_seconds !== undefined && { computeSeconds: compute_seconds }),
    ...(financial !== undefined && { financial }),
    ...(external_side_effects !== undefined && { externalSideEffects: external_side_effects }),
  }
}

type Finding = Pick<Evidence, 'type' | 'subject' | 'criterionIds' | 'method' | 'result' | 'details' | 'artifactHashes' | 'modelVersion'>

/** Evidence of the caller's about this work, each signed. */
async function signFindings({ service, principalId }: ToolCall, { state, record }: ExecutedWork, findings: readonly Finding[]): Promise<Result<Evidence[], CallToolResult>> {
  const evidence: Evidence[] = []
  for (const finding of findings) {
    const signed = await service.doors.custody.signEvidence(principalId, {
      ...finding,
      evidenceId: newUrn(),
      missionId: state.mission.missionId,
      groupId: state.groupId,
      workItemId: record.item.workItemId,
      generatedBy: { type: 'agent', id: principalId },
      createdAt: service.clock.now(),
    })
    if (!signed.ok) return err(refuse(signed.error.reason))
    evidence.push(signed.value)
  }
  return ok(evidence)
}
