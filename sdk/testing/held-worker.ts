// A Worker in a process of its own that makes a ticket, begins a letter and gets no further. It says each act on its output, with its key.
import { writeSync } from 'node:fs'
import { AgentClient, openAgentStore, runScheduler } from '../index.ts'

/** Given as JSON. The key is one that a test made for this process. */
export interface HeldWorkerOptions {
  readonly url: string
  readonly agentId: string
  readonly keyId: string
  /** In hexadecimal. */
  readonly seed: string
  /** Of its store. */
  readonly path: string
}

const { url, agentId, keyId, seed, path } = JSON.parse(process.argv[2] ?? '') as HeldWorkerOptions
const store = await openAgentStore(path)
const client = await AgentClient.connect({ url, agentId, keyId, seed: Uint8Array.from(Buffer.from(seed, 'hex')), cursors: store, outbox: store.outbox })
await runScheduler(client, {
  store,
  slots: 1,
  accepts: () => true,
  report: (line) => void writeSync(2, `${line}\n`),
  async execute(slot) {
    await slot.effect('ticket', async (key) => {
      writeSync(1, `ticket ${key}\n`)
      return 'ticket of the killed'
    })
    return slot.effect('letter', (key) => {
      writeSync(1, `letter ${key}\n`)
      return new Promise<never>(() => undefined)
    })
  },
})
