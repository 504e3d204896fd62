// Extensions that a Command requires to be understood, and the major versions of them that a Group has pinned.
import type { Command, EventDocument, Extensions } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { OFFLINE_EXECUTION } from '../../protocol/offline-execution.ts'
import type { Refusal } from './fences.ts'
import type { GroupState } from './types.ts'

/** One extension that must be understood. */
export interface ExtensionUse {
  readonly profileUri: string
  readonly version: string
  readonly data: unknown
}

interface Carrier { readonly extensions?: Extensions }

/** Members of payloads, of Commands and of their Events, whose objects may carry extensions of their own. */
type CarryingPayload = Partial<Record<'artifact' | 'card' | 'contextPackage' | 'contract', Carrier>> & Partial<Record<'workItem' | 'proposal', { readonly contract?: Carrier }>> & { readonly artifacts?: readonly Carrier[] }

/** What may require extensions to be understood: a Command or an Event. */
type Requiring = Pick<Command | EventDocument, 'extensions' | 'payload'>

/** Major version of a semantic version. */
export const majorOf = (version: string): string => version.slice(0, version.indexOf('.'))

/** Critical extensions of a Command or Event and of the objects in its payload; the one of the core, for offline work, is no profile's. */
export function criticalExtensionsOf({ extensions, payload }: Requiring): readonly ExtensionUse[] {
  const { artifact, artifacts = [], card, contextPackage, contract, workItem, proposal } = payload as CarryingPayload
  const found = criticalIn(extensions).filter(({ profileUri }) => profileUri !== OFFLINE_EXECUTION)
  for (const carrier of [artifact, card, contextPackage, contract, workItem?.contract, proposal?.contract, ...artifacts]) {
    if (carrier?.extensions) found.push(...criticalIn(carrier.extensions))
  }
  return found
}

function criticalIn(extensions: Extensions | undefined): ExtensionUse[] {
  if (extensions === undefined) return []
  return Object.entries(extensions).flatMap(([profileUri, { critical, version, data }]) => (critical ? [{ profileUri, version, data }] : []))
}

/** The first use in a Group pins the major version; another one is not understood there. */
export function pinnedOtherwise(pins: GroupState['extensionPins'], required: Requiring): Refusal {
  const seen = new Map<string, string>()
  for (const { profileUri, version } of criticalExtensionsOf(required)) {
    const major = majorOf(version)
    const pinned = pins.get(profileUri) ?? seen.get(profileUri) ?? major
    if (pinned !== major) return reject('UNKNOWN_CRITICAL_EXTENSION', `This Group works with major version ${pinned} of a required extension.`, { details: { profileUri } })
    seen.set(profileUri, major)
  }
  return undefined
}

/** What the Event required to be understood stays so. */
export function pinExtensions({ extensionPins }: GroupState, event: Requiring): void {
  for (const { profileUri, version } of criticalExtensionsOf(event)) {
    if (!extensionPins.has(profileUri)) extensionPins.set(profileUri, majorOf(version))
  }
}
