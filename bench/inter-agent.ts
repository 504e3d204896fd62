// `npm run bench -- --doors`: what the Inter-Agent Protocol's text promises in milliseconds, with fifty agents connected.
import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { join } from 'node:path'
import { IAPClient } from '../sdk/index.ts'
import { percentiles } from './load.ts'
import { callAdmin } from './workplace.ts'

export interface InterAgentFigures {
  readonly agents: number
  readonly latencies: readonly { readonly name: string; readonly targetMs: number; readonly p50Ms: number; readonly p95Ms: number }[]
}

const agentCount = 50
const bidders = 5
const tasks = 100

interface Agent { readonly client: IAPClient; readonly agentId: string }

/**
 * Measured at the agent, so the way there and back is in them. Assignment counts from the last bid, since a window closes early
 * when all have bid; context counts from the sender's call to the receiver's handler.
 */
export async function measureInterAgent(dataDir: string): Promise<InterAgentFigures> {
  const { address } = JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')) as { address: string }
  const url = `${address.replace(/^http/, 'ws')}/iap`
  const handshakes: number[] = []
  const agents: Agent[] = []
  for (let index = 0; index < agentCount; index += 1) {
    const { token } = await callAdmin<{ token: string }>(dataDir, 'agent add', { name: `Bidder ${index}`, capabilities: [{ id: 'bench.work', version: '1.0.0' }], doors: ['iap'], isCustodial: true })
    const client = new IAPClient(url, { token })
    const agentId = `agent-${index}`
    const type = index > 0 && index <= bidders ? 'data_analysis' : 'x-idle'
    const at = performance.now()
    await client.connect({ agentId, name: agentId, maxConcurrentTasks: 1_000, capabilities: [{ id: `work-${index}`, type, name: 'Work', description: 'Answers at once' }] })
    handshakes.push(performance.now() - at)
    agents.push({ client, agentId })
  }
  const assignments = answerTasks(agents.slice(1, bidders + 1))
  const { client } = agents[0]!
  const discoveries = await repeat(tasks, () => client.discover())
  const whole = await repeat(tasks, (index) => client.propose({ ...task, input: { index } }))
  await client.propose({ ...task, input: { isKept: true } }, { useCache: true })
  const cached = await repeat(tasks, () => client.propose({ ...task, input: { isKept: true } }, { useCache: true }))
  const contexts = await measureContexts(agents)
  for (const agent of agents) await agent.client.close()
  return {
    agents: agentCount,
    latencies: [
      row('handshake, socket included', 100, handshakes),
      row(`discovery of ${agentCount} agents`, 50, discoveries),
      row('assignment after the last bid', 100, assignments),
      row('context of 8 KB', 200, contexts),
      row('result from the cache', 50, cached),
      row('proposal to result, all of it', Number.NaN, whole),
    ],
  }
}

const task = { description: 'Count', requiredCapability: 'data_analysis', maxLatency: 60_000, maxCost: 1_000, priority: 5 }

/** Everybody bids; whoever is chosen delivers. Gives the times from the last bid to the assignment as they come in. */
function answerTasks(agents: readonly Agent[]): number[] {
  const latencies: number[] = []
  const lastBidAt = new Map<string, number>()
  for (const { client } of agents) {
    client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => {
      lastBidAt.set(taskId, performance.now())
      client.bid({ taskId, estimatedLatency: 10, estimatedCost: 1, confidence: 0.9, queueDepth: 0 })
    })
    client.on('TASK_ASSIGNMENT', ({ payload }) => {
      latencies.push(performance.now() - lastBidAt.get(payload.taskId)!)
      client.accept(payload)
      client.sendResult({ taskId: payload.taskId, assignmentId: payload.assignmentId, status: 'completed', result: { isCounted: true } })
    })
  }
  return latencies
}

/** The proposer of a task that is being worked on hands context to whoever works. */
async function measureContexts([proposer, , , , , , worker]: readonly Agent[]): Promise<number[]> {
  const assigned = new Promise<string>((resolve) => {
    worker!.client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => worker!.client.bid({ taskId, estimatedLatency: 10, estimatedCost: 1, confidence: 0.9, queueDepth: 0 }))
    worker!.client.on('TASK_ASSIGNMENT', ({ payload }) => {
      worker!.client.accept(payload)
      resolve(payload.taskId)
    })
  })
  const over = proposer!.client.propose({ ...task, requiredCapability: `work-${bidders + 1}`, input: {} }).catch(() => undefined)
  const taskId = await assigned
  const latencies = await repeat(tasks, async () => {
    const received = new Promise<void>((resolve) => {
      const stop = worker!.client.onContext(() => {
        stop()
        resolve()
      })
    })
    await proposer!.client.transferContext({ toAgent: worker!.agentId, taskId, contextType: 'bench', data: { text: 'x'.repeat(8_000) } })
    await received
  })
  proposer!.client.cancel(taskId)
  await over
  return latencies
}

async function repeat(times: number, ask: (index: number) => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = []
  for (let index = 0; index < times; index += 1) {
    const at = performance.now()
    await ask(index)
    latencies.push(performance.now() - at)
  }
  return latencies
}

const row = (name: string, targetMs: number, latencies: readonly number[]) => ({ name, targetMs, ...percentiles(latencies) })
