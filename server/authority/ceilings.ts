// What a child Mission may give its work at most: the resources and capabilities that its parent let it have.
import type { CapabilityRef, ResourceGrant, WorkContract } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { isSameMajor } from './capability.ts'
import type { Refusal } from './fences.ts'
import type { GroupState } from './types.ts'

/** Every operation on every resource is among the allowed ones; `source` names who allows them, in the refusal. */
export function beyondResources(wanted: readonly ResourceGrant[], allowed: readonly ResourceGrant[], source: string): Refusal {
  return coversResources(allowed, wanted) ? undefined : reject('AUTH_FORBIDDEN', `${source} does not allow these resources`)
}

/** Every capability is one of the allowed ones, at whatever version compatible with it. */
export function beyondCapabilities(wanted: readonly CapabilityRef[], allowed: readonly CapabilityRef[], source: string): Refusal {
  const excess = wanted.find((capability) => !allowed.some((other) => isSameMajor(capability, other)))
  return excess && reject('AUTH_FORBIDDEN', `${source} does not call for the capability ${excess.id}`, { details: { capability: excess.id } })
}

/** A contract inside a child Mission against the ceilings of that Mission; a root Mission has none. */
export function beyondCeilings({ allowedResources, requiredCapabilities }: WorkContract, { parentLink }: GroupState): Refusal {
  if (!parentLink) return undefined
  const source = 'the Mission above'
  return beyondResources(allowedResources, parentLink.allowedResources, source) ?? beyondCapabilities(requiredCapabilities, parentLink.capabilities, source)
}

/** Whether every operation on every resource of `inner` is among those of `outer`. */
export function coversResources(outer: readonly ResourceGrant[], inner: readonly ResourceGrant[]): boolean {
  const isAllowed = (resource: string, operation: string) => outer.some((grant) => grant.resource === resource && grant.operations.includes(operation))
  return inner.every(({ resource, operations }) => operations.every((operation) => isAllowed(resource, operation)))
}
