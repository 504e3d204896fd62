import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PRIMARY_EVENT_OF } from '../../protocol/kinds.ts'
import { commandPayloadKinds } from '../../protocol/validate.ts'
import { root } from '../install.mjs'
import { commandsPage } from './commands-page.ts'
import { FACTS } from './facts.ts'
import { payloadShape } from './payload-members.ts'
import { untoldCodes } from './untold-codes.ts'

describe('docs/commands.md', () => {
  it('is what the schemas and the facts say; otherwise: npm run docs', () => {
    expect(readFileSync(join(root, 'docs', 'commands.md'), 'utf8') === commandsPage()).toBe(true)
  })

  it.each(commandPayloadKinds)('A-224 to A-229: names the Event that answers %s first', (kind) => {
    expect(FACTS[kind].events.match(/`([^`]+)`/)?.[1]).toBe(PRIMARY_EVENT_OF[kind])
  })

  it('owes every code that a test saw and that is not common to all', () => {
    const saw = (...sightings: string[]) => ({ file: '', title: '', rules: new Set<string>(), sightings: sightings.map((text) => text.split(' ')) })
    const told = ['refused work.start APPROVAL_REQUIRED work:queued', 'refused work.start AUTH_FORBIDDEN work:queued', 'accepted work.start']
    expect(untoldCodes([saw(...told), saw('refused work.start CURSOR_TOO_OLD work:queued')])).toEqual(['work.start CURSOR_TOO_OLD'])
  })

  it('tells members, types and which are required', () => {
    expect(payloadShape('work.start').members).toEqual([
      { name: 'workItemId', type: '*id*', isRequired: true },
      { name: 'ownershipEpoch', type: '*positiveInteger*', isRequired: true },
      { name: 'executionLeaseSeconds', type: '*seconds*', isRequired: false },
    ])
  })
})
