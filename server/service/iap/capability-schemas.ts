// Values of strangers against schemas of strangers: no document is fetched, and no pattern runs longer than it may.
import { createHash } from 'node:crypto'
import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { faultOfSchema } from '../open-spaces/content-schema.ts'

type Schema = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

/** A compiled check, what its last refusal was, and how often it took too long. */
interface Compiled { readonly check: Check; readonly faultOf: () => string; strikes: number }

const maximumKept = 2_000
/** Characters of one schema, and objects and lists in it: compiling takes a tenth of a millisecond and more for each. */
export const maximumSchemaLength = 16 * 1024
const maximumParts = 256
/** A schema that took too long so often is held against nothing any more: every time cost everybody the whole of its deadline. */
const maximumStrikes = 3
/** What a schema may be was judged before, by a judge that is made once: an Ajv that knows its own meta-schema takes long to make. */
const options = { logger: false, strict: false, validateFormats: false, addUsedSchema: false, inlineRefs: false, meta: false, validateSchema: false } as const
const tooSlow = 'it could not be checked in time'

export class CapabilitySchemas {
  readonly #deadlineMs: number
  readonly #compiled = new Map<string, Compiled | undefined>()
  readonly #sandbox: { check: Check; value: unknown; fits: boolean } = createContext({ check: () => false, value: null, fits: false }) as never
  readonly #run = new Script('fits = check(value)')

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  /** Whether values can be held against it. */
  isUsable(schema: Schema): boolean {
    return this.#compile(schema) !== undefined
  }

  /** What the schema says against the value; nothing where there is no schema or the value fits. */
  faultOf(schema: Schema | undefined, value: unknown): string | undefined {
    if (schema === undefined) return undefined
    const compiled = this.#compile(schema)
    if (compiled === undefined) return 'its schema is no JSON Schema'
    return this.#judge(compiled, value)
  }

  #judge(compiled: Compiled, value: unknown): string | undefined {
    const { check, faultOf } = compiled
    if (compiled.strikes >= maximumStrikes) return tooSlow
    try {
      // Plain objects: the compiled checks ask values for what objects without a prototype lack.
      Object.assign(this.#sandbox, { check, value: structuredClone(value), fits: false })
      this.#run.runInContext(this.#sandbox, { timeout: this.#deadlineMs })
      return this.#sandbox.fits ? undefined : faultOf()
    } catch {
      // Too slow, or nested deeper than the stack.
      compiled.strikes++
      return tooSlow
    } finally {
      this.#sandbox.value = null
    }
  }

  #compile(schema: Schema): Compiled | undefined {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64')
    if (!this.#compiled.has(key)) {
      if (this.#compiled.size >= maximumKept) this.#compiled.delete(this.#compiled.keys().next().value!)
      this.#compiled.set(key, compile(schema))
    }
    return this.#compiled.get(key)
  }
}

/** References that the document itself does not resolve, asynchronous schemas, and what would take long to compile, are faults of it. */
function compile(schema: Schema): Compiled | undefined {
  const bare = withoutDialect(schema)
  const text = JSON.stringify(bare)
  if (text.length > maximumSchemaLength || partsOf(bare) > maximumParts || faultOfSchema(text) !== undefined) return undefined
  try {
    const check = new Ajv2020(options).compile(structuredClone(bare))
    const faultOf = () => {
      const { instancePath = '', keyword = 'schema' } = check.errors?.[0] ?? {}
      return `${instancePath === '' ? 'it' : instancePath} does not satisfy ${keyword}`
    }
    return { check: (value) => check(value) === true, faultOf, strikes: 0 }
  } catch {
    return undefined
  }
}

function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, member) => sum + partsOf(member), 1)
}

/** Agents write for several drafts; what they have in common is read as 2020-12. */
const withoutDialect = ({ $schema: _dialect, ...schema }: Schema): Schema => schema
