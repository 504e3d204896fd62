import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './install.mjs'
import { playwrightFailures, vitestFailures } from './steps.mjs'

it('names the tests of vitest that failed, and a file that did not load', () => {
  const failed = { ancestorTitles: ['the Store', 'append'], title: 'refuses', status: 'failed' }
  const passed = { ancestorTitles: [], title: 'keeps', status: 'passed' }
  const testResults = [
    { name: join(root, 'server', 'store.test.ts'), status: 'failed', assertionResults: [failed, passed] },
    { name: join(root, 'sdk', 'broken.test.ts'), status: 'failed', assertionResults: [] },
    { name: join(root, 'sdk', 'sound.test.ts'), status: 'passed', assertionResults: [passed] },
  ]
  expect(vitestFailures({ testResults })).toEqual(['server/store.test.ts › the Store › append › refuses', 'sdk/broken.test.ts did not run'])
})

it('names the tests of Playwright that failed, in groups too, and what kept a file from loading', () => {
  const spec = (title: string, ok: boolean) => ({ file: 'console/main-job.spec.ts', title, ok })
  const suites = [{ specs: [spec('signs', true), spec('verifies', false)], suites: [{ specs: [spec('refuses', false)] }] }]
  const errors = [{ message: 'SyntaxError: a semicolon is missing\n  at line 1' }]
  expect(playwrightFailures({ suites, errors })).toEqual(['e2e/console/main-job.spec.ts › verifies', 'e2e/console/main-job.spec.ts › refuses', 'SyntaxError: a semicolon is missing'])
})
