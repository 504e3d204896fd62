// Values of strangers against schemas of strangers: no document is fetched, and no pattern runs longer than it may.
import { createHash } from 'node:crypto'
import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'

type Schema = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

/** A compiled check, what its last refusal was, or why there is none. */
interface Compiled { readonly check: Check; readonly faultOf: () => string }

const maximumKept = 2_000
const options = { logger: false, strict: false, validateFormats: false, addUsedSchema: false, inlineRefs: false } as const

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

  #judge({ check, faultOf }: Compiled, value: unknown): string | undefined {
    try {
      // Plain objects: the compiled checks ask values for what objects without a prototype lack.
      Object.assign(this.#sandbox, { check, value: structuredClone(value), fits: false })
      this.#run.runInContext(this.#sandbox, { timeout: this.#deadlineMs })
      return this.#sandbox.fits ? undefined : faultOf()
    } catch {
      // Too slow, or nested deeper than the stack.
      return 'it could not be checked in time'
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

/** References that the document itself does not resolve, and asynchronous schemas, are faults of it. */
function compile(schema: Schema): Compiled | undefined {
  if (Object.hasOwn(schema, '$async')) return undefined
  try {
    const check = new Ajv2020(options).compile(structuredClone(withoutDialect(schema)))
    const faultOf = () => {
      const { instancePath = '', keyword = 'schema' } = check.errors?.[0] ?? {}
      return `${instancePath === '' ? 'it' : instancePath} does not satisfy ${keyword}`
    }
    return { check: (value) => check(value) === true, faultOf }
  } catch {
    return undefined
  }
}

/** Agents write for several drafts; what they have in common is read as 2020-12. */
const withoutDialect = ({ $schema: _dialect, ...schema }: Schema): Schema => schema
