// Runs the checks one after another or side by side and counts what passed.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './install.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)
const reports = join(root, 'test-results')

/** Colours are for a terminal: in a file they are most of what is written. */
const noColour = process.stdout.isTTY ? {} : { NO_COLOR: '1' }

/** Runs a program; resolves with its exit code and, when `isQuiet`, its output. */
function run(program, args, { env = {}, isQuiet = false } = {}) {
  return new Promise((done) => {
    let output = ''
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...noColour, ...env }, stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'] })
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => done({ code: 1, output: String(error) }))
    child.on('close', (code) => done({ code: code ?? 1, output }))
  })
}

/** A step that passes or fails as a whole; its output is shown only when it fails. */
async function whole(name, program, args) {
  const { code, output } = await run(program, args, { isQuiet: true })
  if (code !== 0) console.log(`\n${name}:\n${output}`)
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
}

function report(file) {
  mkdirSync(reports, { recursive: true })
  const path = join(reports, file)
  rmSync(path, { force: true })
  return path
}

/** A run that ended badly without a single failed test (a crash, a file that does not load) counts as one failure. */
function counted(name, code, counts) {
  return { name, ...counts, failed: counts.failed === 0 && code !== 0 ? 1 : counts.failed }
}

/**
 * Files and names of the tests that failed, and of the files that did not load, in a report of vitest.
 * @param {{ testResults?: readonly { name: string, status: string, assertionResults: readonly { ancestorTitles: readonly string[], title: string, status: string }[] }[] }} report
 */
export function vitestFailures({ testResults = [] }) {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => `${file} › ${[...test.ancestorTitles, test.title].join(' › ')}`)
    return failed.length === 0 && status === 'failed' ? [`${file} did not run`] : failed
  })
}

/**
 * The same in a report of Playwright.
 * @typedef {{ specs?: readonly { file: string, title: string, ok: boolean }[], suites?: readonly Suite[] }} Suite
 * @param {{ suites?: readonly Suite[], errors?: readonly { message?: string }[] }} report
 */
export function playwrightFailures({ suites = [], errors = [] }) {
  const inSuite = ({ suites = [], specs = [] }) => [...specs.filter((spec) => !spec.ok).map((spec) => `e2e/${spec.file} › ${spec.title}`), ...suites.flatMap(inSuite)]
  return [...suites.flatMap(inSuite), ...errors.map(({ message }) => message?.split('\n')[0] ?? 'an error outside of the tests')]
}

/** TypeScript 7 is native and four times as fast; ESLint and Next still need the programming interface of 6, so both are installed. */
export const types = () => whole('types', join(root, 'node_modules', 'typescript-7', 'bin', 'tsc'), ['--noEmit', '-p', 'tsconfig.json'])
export const lint = () => whole('lint', bin('eslint'), ['.', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '--max-warnings', '0'])
export const importRules = () =>
  whole('import rules', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'app', 'components', 'protocol', 'server', 'sdk', 'drizzle', 'examples', 'bench', 'e2e'])

/** One vitest project: `unit`, `long` or `int`. */
export async function vitest(project, env = {}) {
  const path = report(`${project}.json`)
  const { code } = await run(bin('vitest'), ['run', '--project', project, '--reporter=dot', '--reporter=json', `--outputFile.json=${path}`], { env })
  const json = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
  return counted(`${project} tests`, code, { passed: json.numPassedTests, failed: json.numFailedTests, skipped: json.numPendingTests, failures: vitestFailures(json) })
}

export async function playwright() {
  const path = report('e2e.json')
  const { code } = await run(bin('playwright'), ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'], { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: path } })
  const json = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { stats: { expected: 0, unexpected: 0, skipped: 0, flaky: 0 } }
  const { expected, unexpected, flaky, skipped } = json.stats
  return counted('e2e', code, { passed: expected, failed: unexpected + flaky, skipped, failures: playwrightFailures(json) })
}

/** Prints one line a step, the tests that failed below theirs, and the total; returns the exit code. */
export function summarise(results) {
  console.log()
  for (const { name, passed, failed, skipped, note, failures = [] } of results) {
    console.log(`${failed === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(22)} ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}${note ? ` (${note})` : ''}`)
    for (const failure of failures) console.log(`     ${failure}`)
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  return sum('failed') === 0 ? 0 : 1
}

export { run }
