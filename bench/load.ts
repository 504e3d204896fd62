// The load generator. It sends frames that were signed beforehand and waits for their answers, the same way to every server.
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { WebSocket } from 'ws'

/** One connection's work: an open socket and its frames, in order. */
export interface Lane { readonly socket: WebSocket; readonly frames: readonly Frame[] }
export interface Frame { readonly actionId: string; readonly text: string }
export interface Measured { readonly commands: number; readonly seconds: number; readonly perSecond: number; readonly p50Ms: number; readonly p95Ms: number; readonly p99Ms: number }

/** Sends every lane's frames with at most `inFlight` unanswered per connection. Throws on a refusal: a refused command measures nothing. */
export async function drive(lanes: readonly Lane[], inFlight: number): Promise<Measured> {
  const latencies: number[] = []
  const begin = performance.now()
  await Promise.all(lanes.map((lane) => driveLane(lane, inFlight, latencies)))
  const seconds = (performance.now() - begin) / 1000
  return { commands: latencies.length, seconds, perSecond: latencies.length / seconds, ...percentiles(latencies) }
}

/** Of times in milliseconds, in any order. */
export function percentiles(latencies: readonly number[]): Pick<Measured, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  const sorted = [...latencies].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

function driveLane({ socket, frames }: Lane, inFlight: number, latencies: number[]): Promise<void> {
  return new Promise((done, fail) => {
    const sentAt = new Map<string, number>()
    let next = 0
    const sendMore = () => {
      while (sentAt.size < inFlight && next < frames.length) {
        const frame = frames[next++]!
        sentAt.set(frame.actionId, performance.now())
        socket.send(frame.text)
      }
    }
    const onMessage = (data: Buffer) => {
      const answer = JSON.parse(data.toString('utf8')) as { frameType: string; event?: { cause: { id: string } }; error?: { code: string; message: string } }
      if (answer.frameType === 'ERROR') return fail(new Error(`refused: ${answer.error?.code} ${answer.error?.message}`))
      const sent = sentAt.get(answer.event?.cause.id ?? '')
      if (sent === undefined) return
      sentAt.delete(answer.event!.cause.id)
      latencies.push(performance.now() - sent)
      sendMore()
      if (sentAt.size === 0 && next === frames.length) {
        socket.off('message', onMessage)
        socket.off('close', onClose)
        done()
      }
    }
    const onClose = () => fail(new Error('the server closed the connection'))
    socket.on('message', onMessage)
    socket.once('close', onClose)
    sendMore()
  })
}

export async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  return socket
}
