import type { Actor } from '../../protocol/generated/types.ts'
import type { KeyBinding, KeyBoundary, KeyResolver } from '../../protocol/key-registry.ts'
import { unavailableRegistry, validateRegistry } from '../../protocol/key-registry.ts'
import { readJson } from './bundle-files.ts'

type FixtureStatus = KeyBoundary & { readonly sequence: number }
type FixtureBinding = Omit<KeyBinding, 'history' | 'principal'> & {
  readonly principal: Actor
  readonly validityHistory: readonly FixtureStatus[]
}
type RegistryFixture = { readonly organizationId: string; readonly bindings: readonly FixtureBinding[] }

/** Reads registry fixtures of one bundle, each of them once. */
export function registryFixtures(root: string): (path: string) => KeyResolver {
  const resolvers = new Map<string, KeyResolver>()
  return (path) => {
    const resolver = resolvers.get(path) ?? resolverOf(root, path)
    resolvers.set(path, resolver)
    return resolver
  }
}

/** The registry of a fixture file, or one that resolves nothing when the evidence is not valid as a whole. */
function resolverOf(root: string, path: string): KeyResolver {
  const { organizationId, bindings } = readJson(root, path) as unknown as RegistryFixture
  const isWhole = bindings.every(({ validityHistory }) => validityHistory.every(({ sequence }, at) => sequence === at + 1))
  if (!isWhole) return unavailableRegistry
  const registry = validateRegistry({
    organizationId,
    bindings: bindings.map(({ validityHistory, ...binding }) => ({ ...binding, history: validityHistory })),
  })
  return registry.ok ? registry.value : unavailableRegistry
}
