import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../protocol/strict-json.ts'
import { DEFAULT_OPTIONS, readSaid } from './read-pattern.ts'

describe('a checkpoint', () => {
  const content: JsonObject = { id: 'c1', kind: 'vuln', title: 'SQL injection', content: '**Proof**', target: 'https://a.example', status: 'confirmed', options: ['Continue', 'Reject', 'Continue'] }

  it('is known by its content type and offers each of its options once', () => {
    expect(readSaid(content, 'checkpoint')).toEqual({
      said: { type: 'checkpoint', title: 'SQL injection', kind: 'vuln', status: 'confirmed', body: '**Proof**', target: 'https://a.example', options: ['Continue', 'Reject'] },
      rest: {},
    })
  })

  it('is known by a type in its content, as older senders write it', () => {
    expect(readSaid({ ...content, type: 'checkpoint' })).toMatchObject({ said: { type: 'checkpoint', title: 'SQL injection' }, rest: {} })
  })

  it('is not known by a type in its content when it has another content type', () => {
    expect(readSaid({ ...content, type: 'checkpoint', text: 'Words' }, 'note').said).toEqual({ type: 'words', text: 'Words' })
  })

  it.each([[undefined], [[]], [[1, '', null]], ['Continue']])('with options %j offers the usual ones', (options) => {
    expect(readSaid({ id: 'c1', options } as unknown as JsonObject, 'checkpoint').said).toMatchObject({ title: 'Checkpoint', options: DEFAULT_OPTIONS })
  })

  it.each([
    ['false_positive', 'not_confirmed'],
    ['not confirmed', 'not_confirmed'],
    ['Informational', 'info'],
    ['inconclusive', 'inconclusive'],
    ['half done', 'half done'],
  ])('of status %s is %s', (status, shown) => {
    expect(readSaid({ id: 'c1', status }, 'checkpoint').said).toMatchObject({ status: shown })
  })

  it('leaves out nothing that it does not show', () => {
    expect(readSaid({ ...content, severity: 9 }, 'checkpoint').rest).toEqual({ severity: 9 })
  })
})

describe('an answer', () => {
  it('has an option and no type', () => {
    expect(readSaid({ option: 'Reject', feedback: 'Out of scope' })).toEqual({ said: { type: 'answer', option: 'Reject', feedback: 'Out of scope' }, rest: {} })
  })
})

describe('the other patterns', () => {
  it.each<[string, JsonObject, object]>([
    ['handoff', { title: 'Yours now', message: 'See #4' }, { type: 'handoff', title: 'Yours now', message: 'See #4' }],
    ['team', { team: 'red', text: 'Hello' }, { type: 'team', team: 'red', text: 'Hello' }],
    ['swarm', { content: 'Find it', targets: ['a', 1, 'b'], task: true, meta: { kind: 'hunt' } }, { type: 'swarm', objective: 'Find it', targets: ['a', 'b'], isTask: true, kind: 'hunt' }],
    ['swarm', { prompt: 'Find it' }, { type: 'swarm', objective: 'Find it', targets: [], isTask: false }],
    ['swarm', { task: 'Find it' }, { type: 'swarm', objective: 'Find it', targets: [], isTask: true }],
  ])('%s of %j', (type, content, said) => {
    expect(readSaid(content, type).said).toEqual(said)
  })

  it.each<[string, JsonObject]>([
    ['checkpoint', { severity: 1 }],
    ['handoff', {}],
    ['team', { text: 'Hello', team: 3 }],
    ['swarm', { targets: ['a'] }],
    ['__proto__', { a: 1 }],
    ['toString', { a: 1 }],
  ])('%s is not seen in %j', (type, content) => {
    expect(['words', 'members']).toContain(readSaid(content, type).said.type)
  })
})

describe('everything else', () => {
  it('is words where there is a text, else its members', () => {
    expect(readSaid({ text: 'Hi', lang: 'en' })).toEqual({ said: { type: 'words', text: 'Hi' }, rest: { lang: 'en' } })
    expect(readSaid({ a: 1 })).toEqual({ said: { type: 'members' }, rest: { a: 1 } })
    expect(readSaid({ text: '  ' })).toEqual({ said: { type: 'members' }, rest: { text: '  ' } })
  })
})
