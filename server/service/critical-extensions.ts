import type { AgentCard, Command } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { capabilityPins, isCardValid } from '../authority/capability.ts'
import type { ExtensionUse } from '../authority/extension-use.ts'
import { criticalExtensionsOf } from '../authority/extension-use.ts'
import type { ProfileMirror, UsableProfile } from './profile-mirror.ts'

interface Needs {
  readonly profiles: Pick<ProfileMirror, 'find'>
  readonly cardOf: (agentId: string) => AgentCard | undefined
  readonly now: string
}

/**
 * Refuses a Command that asks for an extension to be understood which no profile in force covers, or which its
 * sender may not use like this. What is not critical goes unread.
 */
export function refusedExtension(command: Command, needs: Needs): Rejection | undefined {
  for (const use of criticalExtensionsOf(command)) {
    const found = needs.profiles.find(use.profileUri, use.version)
    const refusal = found?.profile.critical ? misused(use, found, command, needs) : reject('UNKNOWN_CRITICAL_EXTENSION', 'A required extension is not understood.', detailsOf(use))
    if (refusal) return refusal
  }
  return undefined
}

function misused(use: ExtensionUse, { profile, fits }: UsableProfile, { actor }: Command, { cardOf, now }: Needs): Rejection | undefined {
  if (!fits(use.data)) return reject('SCHEMA_VALIDATION_FAILED', 'The data of a required extension does not fit the schema of its profile.', detailsOf(use))
  if (profile.requiredCapabilities.length === 0) return undefined
  const card = actor.type === 'agent' ? cardOf(actor.id) : undefined
  const isCapable = card !== undefined && isCardValid(card, now) && capabilityPins(card, profile.requiredCapabilities) !== undefined
  return isCapable ? undefined : reject('AUTH_FORBIDDEN', 'A required extension takes capabilities that are not on the sender’s Agent Card.', detailsOf(use))
}

const detailsOf = ({ profileUri }: ExtensionUse) => ({ details: { profileUri } })
