// How fast a stored Group comes back: read every Event of a long log through the Agents' door, and fold it.
import { performance } from 'node:perf_hooks'
import { newId } from '../sdk/index.ts'
import { drive } from './load.ts'
import { connect, signFrames, type BenchAgent } from './workplace.ts'

const fillBatch = 2_000

/** Posts so many Messages in the Agent's Group. */
export async function fillGroup(url: string, agent: BenchAgent, messages: number): Promise<void> {
  const { socket, sessionEpoch } = await connect(url, agent)
  for (let done = 0; done < messages; done += fillBatch) {
    const frames = await signFrames(agent, sessionEpoch, Math.min(fillBatch, messages - done), false)
    await drive([{ socket, frames }], 32)
  }
  socket.terminate()
}

/** Fills the Group up to `events` Events, then subscribes from zero on a new session; Events per second as the Agent receives them. */
export async function measureReplay(url: string, agent: BenchAgent, events: number): Promise<{ events: number; perSecond: number }> {
  await fillGroup(url, agent, events)
  const { socket } = await connect(url, agent)
  const begin = performance.now()
  const received = await new Promise<number>((done) => {
    let count = 0
    socket.on('message', (data: Buffer) => {
      if (data.includes('"frameType":"EVENT"') && ++count >= events) done(count)
    })
    socket.send(JSON.stringify({ protocolVersion: '0.1', frameId: newId(), frameType: 'SUBSCRIBE', subscriptionId: newId(), groups: [{ groupId: agent.groupId, afterSequence: 0 }] }))
  })
  socket.terminate()
  return { events: received, perSecond: received / ((performance.now() - begin) / 1000) }
}
