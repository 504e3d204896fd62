// Conventions over the content of Messages, recognised by `content_type` or, as older senders write it, a string `content.type`.
// Pure reading: what is not shaped as its convention asks is no pattern and is shown member by member.
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/strict-json.ts'

export type CheckpointStatus = 'confirmed' | 'not_confirmed' | 'info' | 'inconclusive'

export interface Checkpoint {
  readonly type: 'checkpoint'
  readonly title: string
  readonly kind?: string
  /** One of the four, or what the sender wrote. */
  readonly status?: string
  /** Markdown. */
  readonly body?: string
  readonly target?: string
  readonly options: readonly string[]
}

/** The answer to a checkpoint; it carries no type, only what it refers to makes it one. */
export interface Answer { readonly type: 'answer'; readonly option: string; readonly feedback?: string }
export interface Handoff { readonly type: 'handoff'; readonly title?: string; readonly message: string }
export interface Team { readonly type: 'team'; readonly team: string; readonly text: string }
export interface Swarm { readonly type: 'swarm'; readonly objective: string; readonly targets: readonly string[]; readonly isTask: boolean; readonly kind?: string }

export type Said =
  | Checkpoint
  | Answer
  | Handoff
  | Team
  | Swarm
  /** Markdown, as people and most agents write. */
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'members' }

/** What a Message says, and the members of its content that this leaves out. */
export interface Reading { readonly said: Said; readonly rest: JsonObject }

/** Options of a checkpoint that names none. `Reject` asks to take back what was done, everything else guides. */
export const DEFAULT_OPTIONS = ['Continue', 'Reject'] as const

const STATUSES: ReadonlyMap<string, CheckpointStatus> = new Map([
  ['confirmed', 'confirmed'],
  ['not_confirmed', 'not_confirmed'],
  ['false_positive', 'not_confirmed'],
  ['info', 'info'],
  ['informational', 'info'],
  ['inconclusive', 'inconclusive'],
])

/** Reads the content of one Message. */
export function readSaid(content: JsonObject, contentType?: string): Reading {
  const type = contentType ?? textIn(content, 'type')
  const said = type === undefined ? untyped(content) : (READERS.get(type)?.(content) ?? untyped(content))
  return { said, rest: without(content, [...USED[said.type], ...(contentType === undefined && said.type === type ? ['type'] : [])]) }
}

const READERS: ReadonlyMap<string, (content: JsonObject) => Said | undefined> = new Map<string, (content: JsonObject) => Said | undefined>([
  ['checkpoint', readCheckpoint],
  ['handoff', readHandoff],
  ['team', readTeam],
  ['swarm', readSwarm],
])

const USED: Readonly<Record<Said['type'], readonly string[]>> = {
  checkpoint: ['id', 'title', 'kind', 'status', 'content', 'target', 'options'],
  answer: ['option', 'feedback'],
  handoff: ['title', 'message'],
  team: ['team', 'text'],
  swarm: ['content', 'task', 'prompt', 'targets', 'kind'],
  words: ['text'],
  members: [],
}

function readCheckpoint(content: JsonObject): Checkpoint | undefined {
  const [id, title, body] = [textIn(content, 'id'), textIn(content, 'title'), textIn(content, 'content')]
  if (id === undefined && title === undefined && body === undefined) return undefined
  const [kind, status, target] = [textIn(content, 'kind'), textIn(content, 'status'), textIn(content, 'target')]
  const options = textsIn(content, 'options')
  return {
    type: 'checkpoint',
    title: title ?? 'Checkpoint',
    options: options.length > 0 ? [...new Set(options)] : DEFAULT_OPTIONS,
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status: statusOf(status) }),
    ...(body !== undefined && { body }),
    ...(target !== undefined && { target }),
  }
}

const statusOf = (written: string): string => STATUSES.get(written.trim().toLowerCase().replaceAll(/[\s-]+/g, '_')) ?? written

function readHandoff(content: JsonObject): Handoff | undefined {
  const [title, message] = [textIn(content, 'title'), textIn(content, 'message')]
  return title === undefined && message === undefined ? undefined : { type: 'handoff', message: message ?? '', ...(title !== undefined && { title }) }
}

function readTeam(content: JsonObject): Team | undefined {
  const team = textIn(content, 'team')
  return team === undefined ? undefined : { type: 'team', team, text: textIn(content, 'text') ?? '' }
}

function readSwarm(content: JsonObject): Swarm | undefined {
  // Older senders put the objective into `task` or `prompt`.
  const objective = ['content', 'task', 'prompt'].map((name) => textIn(content, name)).find((text) => text !== undefined)
  if (objective === undefined) return undefined
  const meta = isJsonObject(content['meta']) ? content['meta'] : {}
  const kind = textIn(content, 'kind') ?? textIn(meta, 'kind')
  return { type: 'swarm', objective, targets: textsIn(content, 'targets'), isTask: content['task'] === true || typeof content['task'] === 'string', ...(kind !== undefined && { kind }) }
}

function untyped(content: JsonObject): Said {
  const [option, text, feedback] = [textIn(content, 'option'), textIn(content, 'text'), textIn(content, 'feedback')]
  if (option !== undefined) return { type: 'answer', option, ...(feedback !== undefined && { feedback }) }
  return text === undefined ? { type: 'members' } : { type: 'words', text }
}

/** The text of this member; blank counts as absent. */
export function textIn(content: JsonObject, name: string): string | undefined {
  const value = content[name]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function textsIn(content: JsonObject, name: string): readonly string[] {
  const value: JsonValue | undefined = content[name]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item.trim() !== '') : []
}

const without = (content: JsonObject, names: readonly string[]): JsonObject => Object.fromEntries(Object.entries(content).filter(([name]) => !names.includes(name)))
