// Runs an operator's command on the running server, over its own port, or on a stopped one by opening its store here.
import { readConfig } from '../server/config.ts'
import type { AdminCommand } from '../server/gateways/admin/commands.ts'
import { runAdminCommand } from '../server/gateways/admin/commands.ts'
import { createLog } from '../server/log.ts'
import { openResources } from '../server/resources.ts'
import { readServerFile } from '../server/server-file.ts'
import { createAuthorityService } from '../server/service/authority-service.ts'
import { hasOrganizationFile } from '../server/service/organization-keys.ts'
import { Refused, askServer } from './ask-server.ts'

/** The command's result; throws Refused with the reason when it is not carried out. `dataDir` defaults to the settings'. */
export async function operate(command: AdminCommand, args: Record<string, unknown>, dataDir: string | undefined): Promise<unknown> {
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'error', ...(dataDir !== undefined && { DATA_DIR: dataDir }) })
  const server = await readServerFile(config.dataDir)
  const answer = server && (await askServer(server, command, args))
  if (answer) return answer.result
  if (config.organizationJson === undefined && !hasOrganizationFile(config.dataDir)) {
    throw new Refused(`No server has been started on ${config.dataDir} yet. Start one, or name its folder with --data.`)
  }
  const log = createLog(config.logLevel)
  const resources = await openResources(config, log)
  try {
    const origin = config.publicOrigin ?? server?.origin ?? `http://${config.host}:${config.port}`
    const service = await createAuthorityService({ ...resources, origin, diagnostics: log })
    const outcome = await runAdminCommand(service, command, args)
    await service.stop()
    if (!outcome.ok) throw new Refused(outcome.error.reason)
    return outcome.value
  } finally {
    await resources.close()
  }
}
