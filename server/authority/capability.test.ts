import { describe, expect, it } from 'vitest'
import { agentCard, START, wim } from '../testing/cast.ts'
import { capabilityPins, isCardValid, meets } from './capability.ts'

const ref = (text: string) => {
  const [id = '', version = ''] = text.split('@')
  return { id, version }
}

describe('a held capability', () => {
  it.each([
    ['a.b@1.0.0', 'a.b@1.0.0'],
    ['a.b@1.0.1', 'a.b@1.0.0'],
    ['a.b@1.10.0', 'a.b@1.9.9'],
    ['a.b@1.0.0', 'a.b@1.0.0-rc.1'],
    ['a.b@1.0.0-rc.2', 'a.b@1.0.0-rc.1'],
    ['a.b@1.0.0-rc.10', 'a.b@1.0.0-rc.9'],
    ['a.b@1.0.0-rc', 'a.b@1.0.0-7'],
    ['a.b@1.0.0-rc.1.1', 'a.b@1.0.0-rc.1'],
    ['a.b@1.0.0-b', 'a.b@1.0.0-a-z'],
    ['a.b@1.1.0-alpha', 'a.b@1.0.0'],
    ['a.b@1.0.0+build.7', 'a.b@1.0.0+build.8'],
    ['a.b@1.99999999999999999999.0', 'a.b@1.99999999999999999998.0'],
    ['a.b@0.2.0', 'a.b@0.1.0'],
  ])('%s meets %s (A-30)', (held, required) => {
    expect(meets(ref(held), ref(required))).toBe(true)
  })

  it.each([
    ['a.b@1.0.0', 'a.b@1.0.1'],
    ['a.b@2.0.0', 'a.b@1.0.0'],
    ['a.c@1.0.0', 'a.b@1.0.0'],
    ['a.b@1.0.0-rc.1', 'a.b@1.0.0'],
    ['a.b@1.0.0-1', 'a.b@1.0.0-rc'],
    ['a.b@1.9.0', 'a.b@1.10.0'],
    ['a.b@1.0.0-rc', 'a.b@1.0.0-rc.1'],
  ])('%s does not meet %s', (held, required) => {
    expect(meets(ref(held), ref(required))).toBe(false)
  })
})

describe('pins', () => {
  it('name the held version for each requirement, in its order (A-30)', () => {
    const card = agentCard(wim, {}, ['x.one@1.4.0', 'x.two@2.0.1', 'x.three@1.0.0'])
    expect(capabilityPins(card, [ref('x.two@2.0.0'), ref('x.one@1.0.0')])).toEqual([ref('x.two@2.0.1'), ref('x.one@1.4.0')])
  })

  it('pick the capability that fits among several versions', () => {
    const card = agentCard(wim, {}, ['x.one@1.4.0', 'x.one@2.1.0'])
    expect(capabilityPins(card, [ref('x.one@2.0.0')])).toEqual([ref('x.one@2.1.0')])
  })

  it('are none when one requirement is not met', () => {
    expect(capabilityPins(agentCard(wim, {}, ['x.one@1.0.0']), [ref('x.one@1.0.0'), ref('x.two@1.0.0')])).toBeUndefined()
  })
})

describe('a card', () => {
  it.each([
    ['active', undefined, true],
    ['deprecated', undefined, true],
    ['revoked', undefined, false],
    ['active', '2026-11-29T12:00:00.001Z', true],
    ['active', START, false],
  ] as const)('that is %s until %s is valid: %s', (status, validUntil, isValid) => {
    expect(isCardValid(agentCard(wim, { status, ...(validUntil && { validUntil }) }), START)).toBe(isValid)
  })
})
