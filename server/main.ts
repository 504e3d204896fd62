// Composition root: settings from the environment, resources, server, console; and the way down again.
import { ConfigError, readConfig } from './config.ts'
import type { Config } from './config.ts'
import { invitationLink } from './gateways/admin/commands.ts'
import type { Log } from './log.ts'
import { createLog } from './log.ts'
import { openPages } from './pages.ts'
import type { Resources } from './resources.ts'
import { openResources, projectFolder } from './resources.ts'
import type { RunningServer } from './start.ts'
import { OrganizationFileFault } from './service/organization-keys.ts'
import { startServer } from './start.ts'
import { StoreFault } from './store/store-fault.ts'

const ownerInvitationSeconds = 24 * 60 * 60

const say = (text: string) => process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.logLevel)
  const resources = await openResources(config, log)
  let server: RunningServer
  try {
    server = await start(config, resources, log)
  } catch (cause) {
    await resources.close()
    throw cause
  }
  stopOnSignal(server, resources, log)
  await greet(server, resources)
}

async function start(config: Config, resources: Resources, log: Log): Promise<RunningServer> {
  const pages = config.hasConsole ? await openPages({ folder: projectFolder, isDevelopment: config.isDevelopment }) : undefined
  return startServer({ ...config, resources, log, ...(pages && { pages }) })
}

async function greet({ origin, port, service }: RunningServer, { notice, organization }: Resources): Promise<void> {
  if (notice !== undefined) say(notice)
  say(`${organization.name} is at ${origin}`)
  if (!service.identities.principals().some((record) => record.isAdmin)) {
    const { token } = await service.identities.invite({ name: '', isAdmin: true, ttlSeconds: ownerInvitationSeconds })
    say(`Become its owner, once and within a day: ${invitationLink(origin, token)}`)
  }
  if (process.stdout.isTTY) say('Ctrl-C stops it.')
  process.send?.({ type: 'listening', origin, port })
}

function stopOnSignal(server: RunningServer, resources: Resources, log: Log): void {
  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    try {
      await server.stop()
      await resources.close()
      process.exit(0)
    } catch (fault) {
      log.fatal({ err: fault }, 'the server could not stop cleanly')
      process.exit(1)
    }
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
}

try {
  await main()
} catch (fault) {
  process.stderr.write(`${describe(fault)}\n`)
  process.exit(1)
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  // Written for operators; a stack would only hide what they say.
  if ([ConfigError, OrganizationFileFault, StoreFault].some((kind) => fault instanceof kind)) return fault.message
  if ((fault as NodeJS.ErrnoException).code === 'EADDRINUSE') return 'The address is in use: another server runs there. Choose a free port with --port or PORT.'
  return fault.stack ?? fault.message
}
