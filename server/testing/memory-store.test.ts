import { createMemoryStore } from './memory-store.ts'
import { describeStore } from './store-contract.ts'

describeStore('the Store in memory', async () => createMemoryStore())
