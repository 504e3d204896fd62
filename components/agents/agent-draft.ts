// What an administrator fills in to add an Agent, and what is still missing.
import { readCapability } from '../../protocol/capability-text.ts'
import type { AgentDoor } from './doors.ts'

export interface AgentDraft {
  readonly door: AgentDoor
  readonly name: string
  /** Capabilities, separated by blanks, commas or lines. */
  readonly capabilities: string
  /** Days until the token expires; empty for never. */
  readonly days: string
  /** Of an Agent that holds its own key. */
  readonly publicKey: string
}

export const EMPTY_DRAFT: AgentDraft = { door: 'mcp', name: '', capabilities: '', days: '30', publicKey: '' }

export const LIFETIMES: readonly { readonly days: string; readonly label: string }[] = [
  { days: '7', label: '7 days' },
  { days: '30', label: '30 days' },
  { days: '90', label: '90 days' },
  { days: '365', label: 'A year' },
  { days: '', label: 'Never' },
]

export const daysOf = (days: string): { readonly days?: number } => (days === '' ? {} : { days: Number(days) })

const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** The capabilities that the text names, each once. */
export function capabilitiesOf({ capabilities }: AgentDraft): { id: string; version: string }[] {
  return [...new Set(wordsOf(capabilities))].flatMap((word) => readCapability(word) ?? [])
}

export type DraftFaults = Partial<Record<'name' | 'capabilities' | 'publicKey', string>>

/** In words, by field; empty when the Agent can be added. */
export function draftFaults(draft: AgentDraft): DraftFaults {
  const { door, name, capabilities, publicKey } = draft
  const unread = wordsOf(capabilities).find((word) => readCapability(word) === undefined)
  return {
    ...(name.trim() === '' && { name: 'Give it a name that people will recognize.' }),
    ...(wordsOf(capabilities).length === 0 && { capabilities: 'Say at least one thing that it can do, such as release.report@1.0.0.' }),
    ...(unread !== undefined && { capabilities: `“${unread}” is no capability. One looks like release.report@1.0.0: two words or more in lower case, joined by dots or hyphens, and a version of three numbers.` }),
    ...(door === 'mwp' && !/^[A-Za-z0-9_-]{43}$/.test(publicKey.trim()) && { publicKey: 'The public key has 43 characters: letters, digits, - and _.' }),
  }
}
