// Which agents a record of the Inter-Agent Protocol names: by the ids that they have at its door.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/strict-json.ts'
import { isRecordType } from '../../authority/iap/records.ts'

const idMembers = ['agentId', 'bidderId', 'by', 'fromAgent', 'toAgent'] as const
/** Where records keep what names agents too. */
const innerMembers = ['bid', 'selection'] as const
const listMembers = ['candidates', 'passedOver'] as const

/** Each once; none for a Message that is no record. */
export function agentIdsIn(content: JsonObject, contentType: string | undefined): readonly string[] {
  if (contentType === undefined || !isRecordType(contentType)) return []
  const inner = innerMembers.map((member) => content[member]).filter(isJsonObject)
  const listed = inner.flatMap((object) => listMembers.flatMap((member) => objectsIn(object[member])))
  const ids = [content, ...inner, ...listed].flatMap((object) => idMembers.map((member) => object[member]))
  return [...new Set(ids.filter((id) => typeof id === 'string'))]
}

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
