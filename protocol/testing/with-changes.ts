/** In {@link withChanges}: takes the member away. */
export const ABSENT = Symbol('absent')

/**
 * A deep copy of `value` with members replaced, added or taken away; a key is a dotted path such as `actor.type` or
 * `offers.0.status`.
 */
export function withChanges(value: unknown, changes: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(value) as Record<string, unknown>
  for (const [path, replacement] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce((node, name) => node[name] as Record<string, unknown>, copy)
    if (replacement === ABSENT) delete parent[last]
    else parent[last] = replacement
  }
  return copy
}
