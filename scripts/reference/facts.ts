// Who sends each Command, what is checked in which order, what comes of it.
import type { CommandPayloadKind } from '../../protocol/validate.ts'
import type { CommandFacts } from './checks.ts'
import { FACTS_OF_MISSIONS } from './facts-of-missions.ts'
import { FACTS_OF_ORGANIZATION } from './facts-of-organization.ts'
import { FACTS_OF_WORK } from './facts-of-work.ts'

/** A kind without its facts does not compile. */
export const FACTS: Readonly<Record<CommandPayloadKind, CommandFacts>> = { ...FACTS_OF_MISSIONS, ...FACTS_OF_WORK, ...FACTS_OF_ORGANIZATION }
