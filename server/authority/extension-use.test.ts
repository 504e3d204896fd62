import { describe, expect, it } from 'vitest'
import type { Command, Extensions } from '../../protocol/generated/types.ts'
import { OFFLINE_EXECUTION } from '../../protocol/offline-execution.ts'
import { ada, cora, urnOf } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { criticalExtensionsOf } from './extension-use.ts'

const profileUri = 'urn:example:profile:temperature'
const using = (version: string, critical = true): Extensions => ({ [profileUri]: { version, critical, data: { celsius: 4 } } })
const post = (name: string) => ({ messageId: urnOf(name), content: [{ type: 'text' as const, text: 'It is cold.' }] })

describe('a critical extension', () => {
  it('A-243: is found on the Command and on what its payload carries', () => {
    const carrying = (payload: object) => criticalExtensionsOf({ payload } as Command).map(({ version }) => version)
    const extensions = using('1.0.0')
    expect(criticalExtensionsOf({ extensions, payload: {} } as unknown as Command)).toEqual([{ profileUri, version: '1.0.0', data: { celsius: 4 } }])
    const payloads = [{ artifact: { extensions } }, { card: { extensions } }, { contextPackage: { extensions } }, { contract: { extensions } }, { workItem: { contract: { extensions } } }, { proposal: { contract: { extensions } } }, { artifacts: [{}, { extensions }] }]
    expect(payloads.map(carrying)).toEqual(payloads.map(() => ['1.0.0']))
    expect(carrying({ contract: { extensions: using('1.0.0', false) } })).toEqual([])
  })

  it('A-190: is no profile’s when it is that of offline work, which stands on the Command alone', () => {
    const extensions = { [OFFLINE_EXECUTION]: { version: '1.0.0', critical: true, data: {} } }
    expect(criticalExtensionsOf({ extensions, payload: {} } as unknown as Command)).toEqual([])
    expect(criticalExtensionsOf({ payload: { contract: { extensions } } } as unknown as Command)).toHaveLength(1)
  })
})

describe('a Group', () => {
  it('A-243: pins the major version that it used first, and no other is understood there', () => {
    const group = new GroupFixture().found()
    group.accept(ada, 'message.post', post('first'), { extensions: using('1.4.0') })
    expect(group.state.extensionPins).toEqual(new Map([[profileUri, '1']]))
    group.accept(ada, 'message.post', post('second'), { extensions: using('1.0.0') })
    expect(group.code(ada, 'message.post', post('third'), { extensions: using('2.0.0') })).toBe('UNKNOWN_CRITICAL_EXTENSION')
  })

  it('A-243: pins what came with a contract', () => {
    const group = new GroupFixture().found()
    group.accept(cora, 'work.authorize', { workItemId: urnOf('work'), contract: workContract({ extensions: using('2.0.0') }) })
    expect(group.state.extensionPins).toEqual(new Map([[profileUri, '2']]))
  })

  it('A-243: pins one major version, not two that come in one Command', () => {
    const group = new GroupFixture().found()
    const payload = { workItemId: urnOf('work'), contract: workContract({ extensions: using('2.0.0') }) }
    expect(group.code(cora, 'work.authorize', payload, { extensions: using('1.0.0') })).toBe('UNKNOWN_CRITICAL_EXTENSION')
  })

  it('A-244: pins nothing that need not be understood, and relays it unchanged', () => {
    const group = new GroupFixture().found()
    const extensions = using('1.0.0', false)
    const [event] = group.accept(ada, 'message.post', post('first'), { extensions })
    expect(event?.extensions).toEqual(extensions)
    expect(group.state.extensionPins.size).toBe(0)
  })
})
