// `npm run up`: from a bare clone to a running console. Plain Node; the packages it needs are installed by it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureInstalled, root, runOrThrow } from './install.mjs'

const usage = `npm run up -- [options]
  --demo            also start the example agents (a coordinator and two workers)
  --demo-folder DIR the folder that they review (default: this repository)
  --port N          port of the console and the protocol doors (default 4310)
  --host ADDRESS    address to listen on (default 127.0.0.1)
  --data DIR        folder of keys, store and artifacts (default ./data)
Environment: DATABASE_URL uses that PostgreSQL instead of the embedded store; TLS_CERT and TLS_KEY serve https and wss.`

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        demo: { type: 'boolean', default: false },
        'demo-folder': { type: 'string', default: root },
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
}

const options = readOptions()
if (options.help) {
  console.log(usage)
  process.exit(0)
}

/** Before the build, which would take the pages away under a server that runs. */
async function refuseAddressInUse() {
  const address = { port: Number(options.port ?? process.env.PORT ?? 4310), host: options.host ?? process.env.HOST ?? '127.0.0.1' }
  const probe = createServer()
  try {
    await once(probe.listen(address), 'listening')
    probe.close()
  } catch (error) {
    if (error.code !== 'EADDRINUSE') return // The server says what is wrong with the address.
    console.error(`${address.host}:${address.port} is in use: another server runs there. Stop it, or choose a free port with --port.`)
    process.exit(1)
  }
}

await refuseAddressInUse()
ensureInstalled()
runOrThrow(process.execPath, [join(root, 'scripts', 'build.mjs')])

const dataDir = resolve(options.data ?? process.env.DATA_DIR ?? join(root, 'data'))
const env = {
  ...process.env,
  NODE_ENV: 'production',
  DATA_DIR: dataDir,
  // Signatures are checked by Node's thread pool. Threads beyond the cores only take the event loop's turn.
  UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? String(Math.max(2, availableParallelism())),
  ...(options.port && { PORT: options.port }),
  ...(options.host && { HOST: options.host }),
}

const children = new Map()
let isStopping = false

/** Room for the short-lived objects of many Commands at once: with the default of 16 MiB they outlive their use and are collected twice. */
const nodeOptions = ['--enable-source-maps', '--max-semi-space-size=32']

function start(name, file, args = []) {
  const child = spawn(process.execPath, [...nodeOptions, join(root, 'dist', file), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.set(name, child)
  child.on('exit', (code, signal) => {
    children.delete(name)
    if (!isStopping) stop(code ?? (signal ? 1 : 0))
    else if (children.size === 0) process.exit(process.exitCode ?? 0)
  })
  return child
}

/** The demo stops first, so that its agents do not report a lost server. */
function stop(code) {
  isStopping = true
  process.exitCode = code
  for (const child of [...children.values()].reverse()) child.kill('SIGTERM')
  if (children.size === 0) process.exit(code)
}

process.on('SIGINT', () => stop(0))
process.on('SIGTERM', () => stop(0))

const server = start('server', 'server.js')
server.on('message', (message) => {
  if (message?.type === 'listening' && options.demo) {
    start('demo', 'demo.js', ['--data', dataDir, '--folder', resolve(options['demo-folder'])])
  }
})
