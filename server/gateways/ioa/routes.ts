// Where a path leads: a trailing slash is ignored, a doubled one redirected, and two kinds of path know of wrong methods.
import type { Refusal } from './refusal.ts'
import { noRoute, refusal } from './refusal.ts'
import type { Route } from './exchange.ts'

/** Paths of this door begin with it; public clients take a base address with a path. */
export const ioaPrefix = '/ioa'

/** Where to send a path with doubled slashes. */
export const cleanPath = (pathname: string): string | undefined => (pathname.includes('//') ? pathname.replace(/\/{2,}/g, '/') : undefined)

/** Decoded segments behind the prefix; undefined where an escape is broken. */
export function segmentsOf(pathname: string): readonly string[] | undefined {
  try {
    return pathname.slice(ioaPrefix.length).split('/').filter((segment) => segment !== '').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Paths that ask for no token: probes and enrolment. */
export const isOpen = ([first]: readonly string[]): boolean => first === 'health' || first === 'ready' || (first?.startsWith('auth') ?? false)

export class RouteTable {
  readonly #routes: readonly (Route & { readonly segments: readonly string[] })[]

  /** The first route that fits counts. */
  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ ...route, segments: route.path.split('/').slice(1) }))
  }

  find(method: string, path: readonly string[]): { readonly route: Route; readonly parameters: readonly string[] } | undefined {
    const route = this.#routes.find((candidate) => candidate.method === method && fits(candidate.segments, path))
    return route && { route, parameters: path.filter((_, index) => route.segments[index] === ':') }
  }
}

const fits = (pattern: readonly string[], path: readonly string[]): boolean => pattern.length === path.length && pattern.every((segment, index) => segment === ':' || segment === path[index])

const knowMethods: ReadonlySet<string | undefined> = new Set(['nodes', 'messages', 'health', 'ready'])

/** 405 where the reference knows methods, else 404. */
export function missing(method: string, path: readonly string[]): Refusal {
  const isOfSpace = path[0] === 'spaces' && path[2] === 'messages' && path.length === 3
  const isUsual = method === 'GET' || method === 'POST'
  return !isUsual && (knowMethods.has(path[0]) || isOfSpace) ? refusal(405, 'this method is not for this path', { allow: 'GET, POST' }) : noRoute
}
