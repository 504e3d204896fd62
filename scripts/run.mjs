// Entry of every npm command: installs what is missing, then runs the task.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled, root } from './install.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)
const tasks = {
  schemas: () => [],
  dev: (args) => [[bin('tsx'), ['server/main.ts', ...args], { NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' }]],
  build: () => [[process.execPath, ['scripts/build.mjs']]],
  check: (args) => [[process.execPath, ['scripts/check.mjs', ...args]]],
  test: (args) => [[process.execPath, ['scripts/test.mjs', ...args]]],
  conformance: (args) => [[bin('tsx'), ['scripts/conformance.ts', ...args]]],
  evidence: (args) => [[bin('tsx'), ['scripts/evidence.ts', ...args]]],
  docs: () => [[bin('tsx'), ['scripts/docs.ts']]],
  verify: (args) => [[bin('tsx'), ['scripts/verify.ts', ...args]]],
  'verify-log': (args) => [[bin('tsx'), ['scripts/verify-log.ts', ...args]]],
  admin: (args) => [[bin('tsx'), ['scripts/admin.ts', ...args]]],
  bench: (args) => [[process.execPath, ['scripts/build.mjs', '--server-only']], [bin('tsx'), ['bench/main.ts', ...args]]],
}

const [name = '', ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) {
  console.error(`Unknown task "${name}". Known: ${Object.keys(tasks).join(', ')}.`)
  process.exit(2)
}
ensureInstalled()
for (const [program, programArgs, env = {}] of task(args)) {
  const { status, signal } = spawnSync(program, programArgs, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
}
