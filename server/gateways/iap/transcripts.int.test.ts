// Every transcript against the real server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTranscripts } from '../../../examples/iap-transcripts/read-transcripts.ts'
import { runTranscript } from '../../../sdk/iap/transcript-runner.ts'
import type { IapTimers } from '../../service/iap/types.ts'
import { startServer } from '../../start.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { skipReason } from '../../testing/test-database.ts'

const transcripts = readTranscripts()

/** Transcripts wait for windows to close as any client would. */
const timers: IapTimers = {
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

describe.skipIf(skipReason)(`transcripts of the Inter-Agent Protocol${skipReason ? ` (${skipReason})` : ''}`, () => {
  let iap: IapServer
  beforeAll(async () => {
    iap = await IapServer.start(startServer, { timers, rules: { bidWindowMs: 1_200, acceptWithinMs: 1_200, graceMs: 1_200 } })
  })
  afterAll(() => iap.end())

  it.each(transcripts.map((transcript) => [`${transcript.proves.join(', ')} ${transcript.title}`, transcript] as const))('%s', async (_title, transcript) => {
    const names = Object.entries(transcript.agents).map(([name, { as = name }]) => as)
    // Agents of its own for every transcript: an id and a token belong together.
    const idOf = (name: string) => `${name}.${transcripts.indexOf(transcript)}`
    const tokens = new Map<string, string>()
    for (const name of new Set(names)) tokens.set(name, await iap.token(idOf(name)))
    const outcome = await runTranscript(transcript, { url: iap.url, tokenOf: (name) => tokens.get(name), agentIdOf: idOf })
    expect(outcome.failure).toBeUndefined()
  })
})
