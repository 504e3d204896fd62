// Query parameters of reads. The first of several equal names counts, a blank one is absent.
import type { Result } from '../../../protocol/result.ts'
import { ok } from '../../../protocol/result.ts'
import type { Direction } from '../../service/open-spaces/types.ts'
import { isStorable } from './body.ts'
import type { Refusal } from './refusal.ts'
import { refused } from './refusal.ts'

const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

export const parameter = (query: URLSearchParams, name: string): string | undefined => query.get(name)?.trim() || undefined

/** A positive integer of at most `maximum`, else 422. */
export function limitOf(query: URLSearchParams, maximum: number): Result<number | undefined, Refusal> {
  const text = query.get('limit') ?? ''
  if (text === '') return ok(undefined)
  const limit = /^\+?\d+$/.test(text) ? Number(text) : 0
  if (limit < 1) return refused(422, '"limit" must be a positive whole number')
  return limit <= maximum ? ok(limit) : refused(422, `"limit" is at most ${maximum}; leave it out to read everything`)
}

/** What Go takes for a boolean, else 422. */
export function flagOf(query: URLSearchParams, name: string): Result<boolean, Refusal> {
  const text = parameter(query, name)
  if (text === undefined || untruths.has(text)) return ok(false)
  return truths.has(text) ? ok(true) : refused(422, `"${name}" must be true or false`)
}

/** `upstream`, `downstream` or, where it is absent, both; else 422. */
export function directionOf(query: URLSearchParams): Result<Direction, Refusal> {
  const text = parameter(query, 'direction')
  if (text === undefined) return ok('both')
  return text === 'upstream' || text === 'downstream' ? ok(text) : refused(422, '"direction" must be upstream or downstream')
}

/** How far below the head a branch is still told of; an unusable value counts as 1, and 100 is the most. */
export function forkDepthOf(query: URLSearchParams): number {
  const text = query.get('fork_depth') ?? ''
  const depth = /^\+?\d+$/.test(text) ? Number(text) : 1
  return Math.min(Math.max(depth, 1), 100)
}

/** Whether every value can be looked for in the store. */
export const isSearchable = (query: URLSearchParams): boolean => [...query.values()].every(isStorable)
