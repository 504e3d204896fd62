// JSON Schemas that come with Extension Profiles: read at run time, by administrators' leave.
import { Ajv2020 } from 'ajv/dist/2020.js'

/** Whether data of an extension fits. */
export type DataSchema = (data: unknown) => boolean

const dialect = new Ajv2020({ logger: false })

/**
 * The schema in this text, or nothing where data cannot be held against it: text that is no JSON Schema 2020-12, keywords
 * that are not known, references to other documents, and patterns, of which a slow one would stop the server.
 */
export function readDataSchema(text: string): DataSchema | undefined {
  try {
    const schema: unknown = JSON.parse(text)
    if (!isSchema(schema) || dialect.validateSchema(schema) !== true) return undefined
    const ajv = new Ajv2020({ logger: false, meta: false, validateSchema: false, validateFormats: false, strictTypes: false, strictTuples: false, unicodeRegExp: true })
    ajv.removeKeyword('pattern').removeKeyword('patternProperties')
    const fits = ajv.compile(schema)
    return (data) => isFitting(() => fits(data))
  } catch {
    return undefined
  }
}

/** Data nested without end in a recursive schema uses up the stack; it does not fit. */
function isFitting(attempt: () => boolean): boolean {
  try {
    return attempt()
  } catch (fault) {
    if (fault instanceof RangeError) return false
    throw fault
  }
}

/** An asynchronous schema would answer with a promise. */
const isSchema = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '$async')
