import { describe, expect, it } from 'vitest'
import { capabilitiesOf, daysOf, draftFaults, EMPTY_DRAFT } from './agent-draft.ts'

const draft = { ...EMPTY_DRAFT, name: 'Scout', capabilities: 'release.report@1.0.0' }

describe('a draft of an Agent', () => {
  it('is complete with a name and a capability', () => {
    expect(draftFaults(draft)).toEqual({})
    expect(Object.keys(draftFaults(EMPTY_DRAFT))).toEqual(['name', 'capabilities'])
  })

  it('names capabilities in any order and between any separators, each once', () => {
    const capabilities = 'release.report@1.0.0,\n licence.check@2.1.0  release.report@1.0.0'
    expect(capabilitiesOf({ ...draft, capabilities })).toEqual([{ id: 'release.report', version: '1.0.0' }, { id: 'licence.check', version: '2.1.0' }])
    expect(draftFaults({ ...draft, capabilities })).toEqual({})
  })

  it.each(['report', 'release.report', 'release.report@1', 'Release.report@1.0.0', 'release.report@1.0.0@2', '@1.0.0', `a.${'b'.repeat(200)}@1.0.0`])('says that "%s" is no capability', (word) => {
    expect(draftFaults({ ...draft, capabilities: `release.report@1.0.0 ${word}` }).capabilities).toContain(word)
  })

  it('asks for a public key where the Agent holds its own', () => {
    expect(draftFaults({ ...draft, door: 'mwp' })).toHaveProperty('publicKey')
    expect(draftFaults({ ...draft, door: 'mwp', publicKey: ` ${'A'.repeat(43)} ` })).toEqual({})
  })

  it('lasts for a number of days or for ever', () => {
    expect([daysOf('30'), daysOf('')]).toEqual([{ days: 30 }, {}])
  })
})
