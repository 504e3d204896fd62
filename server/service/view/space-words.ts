// What a Message of an open Space says in one line, whatever its content is made of.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/strict-json.ts'
import { shorten } from './shorten.ts'

/** Members in which senders put their words, the most telling first. */
const wordMembers = ['text', 'title', 'message', 'content', 'option', 'prompt', 'task', 'description', 'summary', 'team', 'reason', 'agentId', 'bidderId'] as const
/** Members that hold the document which a record is about. */
const innerMembers = ['proposal', 'bid', 'result'] as const
/** What records of tasks have for the router alone. */
const recordMembers: ReadonlySet<string> = new Set(['taskId', 'ordinal', 'refs', 'author', 'at', 'messageId', 'assignmentId'])
const shownMembers = 4
const maxPoints = 160

/**
 * At most 160 code points: the words of the content, else its members by name; the content type, where there is one, before them.
 * `nameOf` names the agent that has this id in a record.
 */
export function spaceWords(content: JsonObject, contentType?: string, nameOf: (agentId: string) => string | undefined = () => undefined): string {
  const inner = innerMembers.map((name) => content[name]).filter(isJsonObject)
  const told = contentType?.startsWith('iap/') ? withoutRecord(inner[0] ?? content) : content
  const words = [content, ...inner].map(wordsIn).find((found) => found !== undefined)
  const line = words === undefined ? membersOf(told) : (nameOf(words) ?? words)
  return shorten(contentType === undefined ? line : `${contentType.replace(/^iap\//, '').replaceAll('_', ' ')}: ${line}`, maxPoints)
}

const wordsIn = (content: JsonObject): string | undefined =>
  wordMembers.map((name) => content[name]).find((value): value is string => typeof value === 'string' && value.trim() !== '')

const withoutRecord = (content: JsonObject): JsonObject => Object.fromEntries(Object.entries(content).filter(([name]) => !recordMembers.has(name)))

const membersOf = (content: JsonObject): string =>
  Object.entries(content).slice(0, shownMembers).map(([name, value]) => `${name}: ${inShort(value)}`).join(', ') || 'nothing'

function inShort(value: JsonValue): string {
  if (Array.isArray(value)) return `${value.length} items`
  return isJsonObject(value) ? '…' : String(value)
}
