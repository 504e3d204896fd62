import { afterEach, describe, expect, it } from 'vitest'
import { encodeState } from '../authority/encode-state.ts'
import type { Fixture } from './testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from './testing/authority-fixture.ts'

const text = (value: string) => [{ type: 'text', text: value }]

describe('a Command on its way', () => {
  it('is answered with its signed Event, and again with the same bytes (A-222)', async () => {
    const fixture = await startAuthority()
    const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
    const { groupId } = await fixture.mission(owner, coordinator)
    const bytes = await fixture.command(owner.conversation, { kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: text('Hello') } })
    const first = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect(eventOf(first)).toMatchObject({ kind: 'message.posted', sequence: 2 })
    const again = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect(again).toEqual({ ...first, isDuplicate: true })
  })
})
