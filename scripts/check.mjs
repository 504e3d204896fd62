// The quick gate: types, lint, import rules and unit tests, under a minute on two cores.
import { importRules, lint, summarise, types, vitest } from './steps.mjs'

const [first, second] = await Promise.all([
  (async () => [await types(), await importRules()])(),
  (async () => [await lint(), await vitest('unit')])(),
])
process.exit(summarise([...first, ...second]))
