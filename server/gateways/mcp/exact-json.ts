// JSON whose numbers keep their digits: a tree over text, in which every scalar is what was written.

/** A scalar is its own text; containers hold trees. */
export type ExactJson = string | readonly ExactJson[] | ReadonlyMap<string, ExactJson>

const token = /[\u0020\t\r\n]*("(?:[^"\\]|\\.)*"|[^"\u0020\t\r\n,:[\]{}]+|[,:[\]{}])/y

/** The tree of text that a JSON parser has accepted and found to be nested no deeper than the strict parser allows. */
export function readExact(text: string): ExactJson {
  return new Reader(text).value()
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(first = this.#next()): ExactJson {
    if (first === '[') return this.#array()
    return first === '{' ? this.#object() : first
  }

  #array(): ExactJson {
    const items: ExactJson[] = []
    for (let next = this.#next(); next !== ']'; next = this.#next()) if (next !== ',') items.push(this.value(next))
    return items
  }

  #object(): ExactJson {
    const members = new Map<string, ExactJson>()
    for (let next = this.#next(); next !== '}'; next = this.#next()) {
      if (next === ',') continue
      this.#next()
      members.set(JSON.parse(next) as string, this.value())
    }
    return members
  }

  #next(): string {
    token.lastIndex = this.#at
    const found = token.exec(this.#text)
    if (found === null) throw new RangeError('the text is not JSON')
    this.#at = token.lastIndex
    return found[1]!
  }
}

/** A member of an object; undefined for anything else. */
export const memberOf = (tree: ExactJson | undefined, name: string): ExactJson | undefined => (tree instanceof Map ? (tree as ReadonlyMap<string, ExactJson>).get(name) : undefined)

/** Without any space. */
export function writeExact(tree: ExactJson): string {
  if (typeof tree === 'string') return tree
  if (tree instanceof Map) return `{${[...entriesOf(tree)].map(([name, value]) => `${JSON.stringify(name)}:${writeExact(value)}`).join(',')}}`
  return `[${(tree as readonly ExactJson[]).map(writeExact).join(',')}]`
}

/** As `JSON.stringify` indents by two spaces. */
export function indentExact(tree: ExactJson, margin = ''): string {
  if (typeof tree === 'string') return tree
  const inner = `${margin}  `
  const isObject = tree instanceof Map
  const lines = isObject ? [...entriesOf(tree)].map(([name, value]) => `${inner}${JSON.stringify(name)}: ${indentExact(value, inner)}`) : (tree as readonly ExactJson[]).map((item) => inner + indentExact(item, inner))
  const [open, close] = isObject ? '{}' : '[]'
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${margin}${close}`
}

const entriesOf = (tree: ExactJson): ReadonlyMap<string, ExactJson> => tree as ReadonlyMap<string, ExactJson>
