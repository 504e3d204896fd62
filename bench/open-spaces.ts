// `npm run bench -- --doors`: the IOA door under load. Sends, reads and ancestors in a Space of 100,000 Messages, and a burst to 1,000 listeners.
import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { join } from 'node:path'
import { EventLane, HttpLane } from './http-lane.ts'
import { percentiles } from './load.ts'
import { callAdmin } from './workplace.ts'

export interface DoorFigures {
  /** Messages accepted durably per second. */
  readonly sends: readonly { readonly name: string; readonly perSecond: number; readonly p50Ms: number; readonly p95Ms: number }[]
  readonly reads: readonly { readonly name: string; readonly p50Ms: number; readonly p95Ms: number }[]
  readonly burst: { readonly listeners: number; readonly messages: number; readonly missing: number; readonly seconds: number; readonly serverMiB: number; readonly peakMiB: number; readonly missingAfterResume: number }
}

const chainLength = 100_000
const listeners = 1_000
const burst = 1_000
const nodes = 32

/** A Space and Nodes in it; each connection sends as a Node of its own, as each Agent would. */
interface Place { readonly address: string; readonly tokens: readonly string[]; readonly spaceId: string; readonly messages: string }

export async function measureDoors(dataDir: string, pid: number): Promise<DoorFigures> {
  const sending = await enter(dataDir, 'Sending')
  const sends = []
  for (const connections of [1, 32]) {
    await send(sending, connections, connections === 1 ? 300 : 4_000)
    sends.push({ name: `${connections} connection${connections === 1 ? '' : 's'}`, ...(await send(sending, connections, connections === 1 ? 2_000 : 30_000)) })
  }
  const chain = await enter(dataDir, 'Chain')
  const tip = await fillChain(chain)
  const reads = [
    { name: `newest 50 of ${chainLength}`, ...(await ask(chain, '?all=true&limit=50')) },
    { name: 'one new Message after a cursor', ...(await ask(chain, `?all=true&after=${tip.before}&limit=50`)) },
    { name: 'ancestors of the tip, first page of 50', ...(await ask(chain, `?message_id=${tip.id}&direction=upstream&limit=50`)) },
    { name: 'ancestors of the tip, first page of 1,000', ...(await ask(chain, `?message_id=${tip.id}&direction=upstream&limit=1000`)) },
  ]
  return { sends, reads, burst: await measureBurst(await enter(dataDir, 'Listening'), pid) }
}

async function enter(dataDir: string, name: string): Promise<Place> {
  const { address } = JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')) as { address: string }
  const { accessKey } = await callAdmin<{ accessKey: string }>(dataDir, 'access-key create', { label: name })
  const post = async <T>(path: string, body: object, headers: Record<string, string>): Promise<T> => {
    const response = await fetch(`${address}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as T
  }
  const tokens: string[] = []
  for (let index = 0; index < nodes; index += 1) tokens.push((await post<{ token: string }>('/ioa/auth/register', { name: `${name} ${index}`, access_key: accessKey }, {})).token)
  const space = await post<{ id: string }>('/ioa/spaces', { name, description: 'Bench' }, { 'x-access-key': accessKey, authorization: `Bearer ${tokens[0]}` })
  return { address, tokens, spaceId: space.id, messages: `/ioa/spaces/${encodeURIComponent(space.id)}/messages` }
}

const body = JSON.stringify({ content: { text: 'x'.repeat(100) } })

async function send({ address, tokens, messages }: Place, connections: number, count: number) {
  const lanes = await Promise.all(Array.from({ length: connections }, (_, index) => HttpLane.open(address, tokens[index]!)))
  const latencies: number[] = []
  let left = count
  const begin = performance.now()
  await Promise.all(
    lanes.map(async (lane) => {
      while (left-- > 0) {
        const at = performance.now()
        await expectStatus(201, lane.request('POST', messages, body))
        latencies.push(performance.now() - at)
      }
    }),
  )
  const perSecond = count / ((performance.now() - begin) / 1000)
  for (const lane of lanes) lane.close()
  return { perSecond, ...percentiles(latencies) }
}

/** Each Message refers to the one before it. */
async function fillChain({ address, tokens, messages }: Place): Promise<{ id: string; before: string }> {
  const lane = await HttpLane.open(address, tokens[0]!)
  let [before, id] = ['', '']
  for (let index = 0; index < chainLength; index += 1) {
    const draft = { content: { text: `step ${index}` }, ...(id !== '' && { refs: { messages: [id], nodes: [] } }) }
    const answer = await expectStatus(201, lane.request('POST', messages, JSON.stringify(draft)))
    ;[before, id] = [id, (JSON.parse(answer) as { id: string }).id]
  }
  lane.close()
  return { id, before }
}

async function ask({ address, tokens, messages }: Place, query: string) {
  const lane = await HttpLane.open(address, tokens[0]!)
  const latencies: number[] = []
  for (let index = 0; index < 220; index += 1) {
    const at = performance.now()
    await expectStatus(200, lane.request('GET', `${messages}${query}`))
    if (index >= 20) latencies.push(performance.now() - at)
  }
  lane.close()
  return percentiles(latencies)
}

/** One of the listeners stops reading during the burst and resumes afterwards. */
async function measureBurst(place: Place, pid: number): Promise<DoorFigures['burst']> {
  const { address, tokens, spaceId } = place
  const path = `/ioa/spaces/${encodeURIComponent(spaceId)}/sse`
  const lanes: EventLane[] = []
  for (let index = 0; index < listeners; index += 1) lanes.push(await EventLane.open(address, tokens[index % nodes]!, path))
  const stalled = await EventLane.open(address, tokens[0]!, path)
  await send(place, 1, 1)
  await until(() => stalled.count === 1)
  stalled.stall()
  const serverMiB = await residentMiB(pid)
  let peakMiB = serverMiB
  const watch = setInterval(() => void residentMiB(pid).then((mib) => (peakMiB = Math.max(peakMiB, mib))), 200)
  const begin = performance.now()
  await send(place, 8, burst)
  const isComplete = () => lanes.every((lane) => lane.count === burst + 1)
  await until(isComplete, 120_000)
  const seconds = (performance.now() - begin) / 1000
  clearInterval(watch)
  const missing = lanes.reduce((sum, lane) => sum + burst + 1 - lane.count, 0)
  const cursor = stalled.lastId
  const had = stalled.count
  stalled.close()
  const resumed = await EventLane.open(address, tokens[0]!, path, cursor)
  await until(() => had + resumed.count === burst + 1, 30_000)
  const missingAfterResume = burst + 1 - had - resumed.count
  for (const lane of [...lanes, resumed]) lane.close()
  return { listeners, messages: burst, missing, seconds, serverMiB, peakMiB, missingAfterResume }
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Polls, since what is waited for is counted in other sockets; gives up silently, and the caller reports what is missing. */
async function until(isReached: () => boolean, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!isReached() && performance.now() < end) await new Promise((later) => setTimeout(later, 5))
}

async function expectStatus(status: number, answer: Promise<{ status: number; body: string }>): Promise<string> {
  const got = await answer
  if (got.status !== status) throw new Error(`answered ${got.status}: ${got.body}`)
  return got.body
}
