// The Extension Profiles in force as this node knows them, fed by the Space of the policy.
import type { EventDocument, ExtensionProfile } from '../../protocol/generated/types.ts'
import { PROFILE_APPROVED, PROFILE_RETIRED } from '../../protocol/kinds.ts'
import { invariant } from '../../protocol/result.ts'
import type { ProfileRegister } from '../authority/extension-profile.ts'
import { evolveProfiles, profileFor, profileOf, profilesInForce } from '../authority/extension-profile.ts'
import type { DataSchema } from './data-schema.ts'
import { readDataSchema } from './data-schema.ts'

/** An approved profile, ready to be held against. */
export interface UsableProfile {
  readonly profile: ExtensionProfile
  readonly fits: DataSchema
}

export class ProfileMirror {
  #register: ProfileRegister = new Map()
  /** Read at first use, by hash. */
  readonly #schemas = new Map<string, DataSchema>()

  /** Every profile in force. */
  get current(): readonly ExtensionProfile[] {
    return profilesInForce(this.#register)
  }

  /** The profile that covers this version of it, if one is in force. */
  find(profileUri: string, version: string): UsableProfile | undefined {
    const approved = profileFor(this.#register, profileUri, version)
    return approved && { profile: approved.profile, fits: this.#schema(approved.profile.schemaHash, approved.schema) }
  }

  /** An Event of the policy's Space, by whichever node; an older one changes nothing. */
  apply(event: EventDocument): void {
    if (event.kind !== PROFILE_APPROVED && event.kind !== PROFILE_RETIRED) return
    const known = this.#register.get(profileOf(event))?.revision ?? 0
    if (event.aggregateRevision !== undefined && event.aggregateRevision > known) this.#register = evolveProfiles(this.#register, event)
  }

  #schema(hash: string, text: string): DataSchema {
    const schema = this.#schemas.get(hash) ?? readDataSchema(text)
    invariant(schema, 'the schema of an approved profile cannot be read')
    this.#schemas.set(hash, schema)
    return schema
  }
}
