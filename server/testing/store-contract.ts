// What every Store promises, whatever it stands on: run by the test files of the Store in memory, on PostgreSQL and embedded.
import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../service/ports.ts'
import { describeCredentials } from './credentials-contract.ts'
import { describeDirectory } from './directory-contract.ts'
import { describeIap } from './iap-contract.ts'
import { describeReadModels } from './read-models-contract.ts'
import { describeRulings } from './ruling-contract.ts'
import { describeSpaceLog } from './space-log-contract.ts'

/** Registers the suite. `open` gives an empty Store, which the suite closes. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store
    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store?.close())
    describeSpaceLog(() => store)
    describeReadModels(() => store)
    describeDirectory(() => store)
    describeRulings(() => store)
    describeCredentials(() => store)
    describeIap(() => store)
  })
}
