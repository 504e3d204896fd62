import { describe, expect, it } from 'vitest'
import type { MessageView } from '../trpc.tsx'
import { actsOn, amendmentDraft } from './amendment.ts'

const author = { id: 'urn:mara', type: 'human', name: 'Mara' } as const
const me = { principalId: 'urn:mara', isOwner: false, isOngoing: true }
const acts = (form: MessageView['form'], changes: Partial<typeof me> = {}) => actsOn({ form, author }, { ...me, ...changes })

describe('the menu of a Message', () => {
  it('A-138: lets authors correct and retract what stands', () => {
    expect(acts('posted')).toEqual(['correct', 'retract'])
    expect(acts('corrected')).toEqual(['correct', 'retract'])
    expect(acts('retracted')).toEqual([])
    expect(acts('posted', { isOngoing: false })).toEqual([])
    expect(acts('posted', { principalId: 'urn:somebody' })).toEqual([])
  })

  it('A-138: lets the owner redact whatever has a text, also after the end', () => {
    const owner = { principalId: 'urn:owner', isOwner: true, isOngoing: false }
    expect(['posted', 'corrected', 'retracted', 'redacted', 'restricted'].filter((form) => acts(form as MessageView['form'], owner).length > 0)).toEqual(['posted', 'corrected', 'retracted'])
    expect(acts('posted', { isOwner: true })).toEqual(['correct', 'retract', 'redact'])
  })
})

describe('the Command', () => {
  const message = { messageId: 'urn:m', parts: [{ type: 'text' as const, text: 'Old.' }, { type: 'artifact_ref' as const, artifactHash: 'sha256:1' }] }

  it('A-138: cites the original, and a correction keeps what is attached', () => {
    const { kind, payload } = amendmentDraft('correct', message, { text: 'New.', reason: 'A slip.' })
    expect(kind).toBe('message.correct')
    expect(payload).toMatchObject({ messageId: 'urn:m', reason: 'A slip.', replacementContent: [{ type: 'text', text: 'New.' }, { type: 'artifact_ref', artifactHash: 'sha256:1' }] })
  })

  it.each(['retract', 'redact'] as const)('of %s carries no text but the reason', (act) => {
    const { kind, payload } = amendmentDraft(act, message, { text: 'Old.', reason: 'It names a customer.' })
    expect(kind).toBe(`message.${act}`)
    expect(Object.keys(payload).sort()).toEqual(['amendmentId', 'messageId', 'reason'])
  })
})
