// Whether an Agent's verified capabilities meet what a contract requires.
import type { AgentCard, CapabilityRef } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Refusal } from './fences.ts'
import { isAfter } from './instants.ts'
import type { DecisionEnv, WorkRecord } from './types.ts'

interface Version {
  readonly release: readonly string[]
  readonly preRelease: readonly string[]
}

/** Same capability, same major version, at least the required one. */
export function meets(held: CapabilityRef, required: CapabilityRef): boolean {
  if (held.id !== required.id) return false
  const [have, need] = [parseVersion(held.version), parseVersion(required.version)]
  return have.release[0] === need.release[0] && compareVersions(have, need) >= 0
}

/** The same capability within one major version, whichever of the two is newer. */
export function isSameMajor(a: CapabilityRef, b: CapabilityRef): boolean {
  return a.id === b.id && parseVersion(a.version).release[0] === parseVersion(b.version).release[0]
}

/** Held capability for each required one, in the order of the requirement; `undefined` when one is not met. */
export function capabilityPins(card: AgentCard, required: readonly CapabilityRef[]): CapabilityRef[] | undefined {
  const pins = required.flatMap((need) => {
    const held = card.capabilities.find((capability) => meets(capability, need))
    return held ? [{ id: held.id, version: held.version }] : []
  })
  return pins.length === required.length ? pins : undefined
}

/** A revoked or outdated card vouches for nothing; a deprecated one still does. */
export function isCardValid(card: AgentCard, now: string): boolean {
  return card.status !== 'revoked' && (card.validUntil === undefined || isAfter(card.validUntil, now))
}

/** with a card that no longer vouches for what it accepted the work with, an owner may bring the work to a safe end and nothing else. */
export function incompatibleCard({ item: { owner } }: WorkRecord, { cardOf, now }: Pick<DecisionEnv, 'cardOf' | 'now'>): Refusal {
  const card = owner && cardOf(owner.agentId)
  if (card && isCardValid(card, now) && capabilityPins(card, owner.capabilityPins) !== undefined) return undefined
  return reject('AUTH_FORBIDDEN', 'the Agent Card no longer covers what the work was accepted with')
}

/** Build metadata has no part in precedence. */
function parseVersion(text: string): Version {
  const [withoutBuild = ''] = text.split('+')
  const dash = withoutBuild.indexOf('-')
  if (dash === -1) return { release: withoutBuild.split('.'), preRelease: [] }
  return { release: withoutBuild.slice(0, dash).split('.'), preRelease: withoutBuild.slice(dash + 1).split('.') }
}

/** Precedence of Semantic Versioning 2.0.0, section 11. */
function compareVersions(a: Version, b: Version): number {
  const release = compareLists(a.release, b.release)
  if (release !== 0) return release
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length
  return compareLists(a.preRelease, b.preRelease)
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, identifier] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareIdentifiers(identifier, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const isNumeric = (identifier: string): boolean => /^[0-9]+$/.test(identifier)

/** Numbers compare by value at any length, numbers come before words, words compare as ASCII. */
function compareIdentifiers(a: string, b: string): number {
  if (isNumeric(a) !== isNumeric(b)) return isNumeric(a) ? -1 : 1
  if (isNumeric(a) && a.length !== b.length) return a.length - b.length
  if (a === b) return 0
  return a < b ? -1 : 1
}
