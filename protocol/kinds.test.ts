import { describe, expect, it } from 'vitest'
import type { CommandKind as WireCommandKind } from './generated/types.ts'
import type { CommandKind, EventKind } from './kinds.ts'
import {
  AGENT_CARD_REGISTERED,
  CORE_COMMAND_KINDS,
  CORE_EVENT_KINDS,
  EXTENSION_COMMAND_KINDS,
  EXTENSION_EVENT_KINDS,
  PRIMARY_EVENT_OF,
  SESSION_OPENED,
} from './kinds.ts'
import { exampleDocuments } from './testing/example-documents.ts'
import { validateDocument } from './validate.ts'

const P_KIND = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/
const P_EXTKIND = /^ext\.[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*){2,}$/

describe('kinds (A-224 to A-229, A-244)', () => {
  it('hold all 32 core Commands and 36 core Events once, none for declining, clarifying or pausing (A-230)', () => {
    expect(new Set(CORE_COMMAND_KINDS).size).toBe(32)
    expect(new Set(CORE_EVENT_KINDS).size).toBe(36)
    expect([...CORE_COMMAND_KINDS, ...CORE_EVENT_KINDS].filter((kind) => !P_KIND.test(kind))).toEqual([])
  })

  it('are the kinds that the wire schemas take', () => {
    const { groupId, sequence, aggregateRevision, ...organizationWide } = exampleDocuments.event
    for (const kind of [...CORE_EVENT_KINDS, ...EXTENSION_EVENT_KINDS]) {
      const isOrganizationWide = kind === AGENT_CARD_REGISTERED || kind === SESSION_OPENED
      const event = isOrganizationWide
        ? { ...organizationWide, actor: { type: 'service', id: 'urn:example:registry' }, kind }
        : { ...organizationWide, groupId, sequence, aggregateRevision, kind }
      expect([kind, validateDocument('event', event)]).toEqual([kind, undefined])
    }
    const commands: readonly WireCommandKind[] = [...CORE_COMMAND_KINDS, ...EXTENSION_COMMAND_KINDS]
    for (const kind of commands) {
      const fault = validateDocument('command', { ...exampleDocuments.command, kind })
      expect([kind, fault?.path === '/kind']).toEqual([kind, false])
    }
  })

  it('name extensions by organization, profile and name', () => {
    const extensions = [...EXTENSION_COMMAND_KINDS, ...EXTENSION_EVENT_KINDS]
    expect(extensions.filter((kind) => !P_EXTKIND.test(kind))).toEqual([])
  })

  it('give every Command one primary Event of a known kind', () => {
    const commands: readonly CommandKind[] = [...CORE_COMMAND_KINDS, ...EXTENSION_COMMAND_KINDS]
    const events: readonly EventKind[] = [...CORE_EVENT_KINDS, ...EXTENSION_EVENT_KINDS]
    expect(Object.keys(PRIMARY_EVENT_OF).sort()).toEqual([...commands].sort())
    expect(Object.values(PRIMARY_EVENT_OF).filter((kind) => !events.includes(kind))).toEqual([])
  })
})
