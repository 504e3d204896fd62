import { describe } from 'vitest'
import { startAuthority } from '../../testing/authority-fixture.ts'
import { describeOpenSpaces } from '../../testing/open-spaces-contract.ts'

describe('open Spaces in memory', () => describeOpenSpaces(async () => (await startAuthority()).service.openSpaces))
