import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTranscript } from '../../sdk/iap/transcript-runner.ts'
import { IapRouter } from '../../server/testing/iap-router.ts'
import { readTranscripts } from './read-transcripts.ts'

const transcripts = readTranscripts()
let router: IapRouter

beforeAll(async () => void (router = await IapRouter.start({ bidWindowMs: 400 })))
afterAll(() => router.stop())

describe('transcripts of the Inter-Agent Protocol', () => {
  it.each(transcripts.map((transcript) => [transcript.proves.join(', '), transcript.title, transcript] as const))('%s: %s', async (_boxes, _title, transcript) => {
    const run = Math.random().toString(36).slice(2)
    const outcome = await runTranscript(transcript, { url: router.url, tokenOf: (name) => `${name}-${run}`, timeoutMs: 5000 })
    expect(outcome.failure).toBeUndefined()
  })

  it('pass again one after the other with the same tokens and agent ids', async () => {
    for (const transcript of transcripts) {
      const outcome = await runTranscript(transcript, { url: router.url, tokenOf: (name) => `fixed-${name}`, agentIdOf: (name) => `agent-${name}`, timeoutMs: 5000 })
      expect(outcome.failure, transcript.title).toBeUndefined()
    }
  })

  it.each([
    ['a message that does not come', { agent: 'A', expect: { type: 'TASK_BID' }, withinMs: 20 }, 'nothing matched within 20 ms'],
    ['a message that must not come', { agent: 'A', expectNone: { type: 'CAPABILITY_RESPONSE' } }, 'a message came that must not come'],
    ['a state that is another', { agent: 'A', expectFlow: 'executing' }, 'the state is'],
    ['an agent that it does not name', { agent: 'Z', sync: true }, 'there is no agent Z'],
  ] as const)('fail at the step with %s', async (_what, step, reason) => {
    const steps = [{ agent: 'A', join: {} }, { agent: 'A', send: { type: 'CAPABILITY_DISCOVERY' } }, { agent: 'A', send: { type: 'CAPABILITY_DISCOVERY' } }, { agent: 'A', expect: { type: 'CAPABILITY_RESPONSE' } }, { agent: 'A', sync: true }, step] as const
    const outcome = await runTranscript({ title: 'fails', proves: [], agents: { A: {} }, steps }, { url: router.url, tokenOf: () => `fails-${_what}` })
    expect(outcome).toMatchObject({ passed: false, failure: { step: 5, reason: expect.stringContaining(reason) as string } })
  })

  it('name every box that shows on the wire', () => {
    const boxes = new Set(transcripts.flatMap(({ proves }) => proves))
    for (let box = 1; box <= 19; box++) if (box !== 18) expect(boxes).toContain(`IAP 1.${box}`)
  })
})
