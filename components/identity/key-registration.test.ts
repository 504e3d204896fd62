import { describe, expect, it } from 'vitest'
import { ok } from '../../protocol/result.ts'
import type { HeldKey } from '../signing/signer.ts'
import type { Registrar } from './key-registration.ts'
import { enrol } from './key-registration.ts'

const held = (publicKey: string, use: HeldKey['use']) => ({ publicKey, use, label: 'laptop', custody: 'browser' }) as unknown as HeldKey
const refusal = (code: string) => Object.assign(new Error('No.'), { data: { code } })

/** Enrols at a server that answers with this error; gives the public keys that the browser forgot. */
async function forgottenAfter(error: Error): Promise<string[]> {
  const forgotten: string[] = []
  const signer = {
    createKeys: async () => ok([held('one', 'authority'), held('two', 'conversation')]),
    proveKey: async () => ok('proof'),
    forgetKey: async (publicKey: string) => void forgotten.push(publicKey),
  }
  const api = {
    session: { challenge: { mutate: async () => ({ challengeId: 'c', challenge: 'AAAA' }) } },
    enrolment: { complete: { mutate: async () => Promise.reject(error) } },
  }
  const outcome = await enrol({ signer, api } as unknown as Registrar, { token: 't', name: 'Ada', label: 'laptop' })
  expect(outcome.ok).toBe(false)
  return forgotten
}

describe('keys made for an enrolment', () => {
  it('leave the browser when the server has refused them', async () => {
    expect(await forgottenAfter(refusal('BAD_REQUEST'))).toEqual(['one', 'two'])
  })

  it.each([['failed', refusal('INTERNAL_SERVER_ERROR')], ['did not answer', new Error('fetch failed')]])('stay when the server %s: it may have registered them', async (_, error) => {
    expect(await forgottenAfter(error)).toEqual([])
  })
})
