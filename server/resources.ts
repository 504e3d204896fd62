// What a server stands on: database, artifact folder and the Organization's keys. The operator's tools open the same.
import { join, resolve } from 'node:path'
import { openArtifactFolder } from './artifacts/artifact-folder.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import type { OrganizationKeys } from './service/organization-keys.ts'
import { hasOrganizationFile, loadOrganizationKeys, parseOrganizationKeys } from './service/organization-keys.ts'
import type { ArtifactStore, Store } from './service/ports.ts'
import type { EmbeddedDatabase } from './store/embedded/open-embedded.ts'
import { hasEmbedded, openEmbedded } from './store/embedded/open-embedded.ts'
import { openStore } from './store/open-store.ts'
import { StoreFault } from './store/store-fault.ts'

export interface Resources {
  readonly store: Store
  readonly artifacts: ArtifactStore
  readonly organization: OrganizationKeys
  /** For people: what the store does not promise. */
  readonly notice?: string
  /** Closes the store, and the embedded database last. */
  close(): Promise<void>
}

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'organizationJson' | 'organizationName'>

// The sources and the bundle lie equally deep below the project.
export const projectFolder = resolve(import.meta.dirname, '..')

/** Opens everything or nothing. */
export async function openResources(settings: Settings, log: Log): Promise<Resources> {
  const { dataDir, databaseUrl, organizationJson, organizationName } = settings
  const embedded = databaseUrl === undefined ? await openOwnDatabase(settings, log) : undefined
  const closing: (() => Promise<void>)[] = embedded ? [() => embedded.stop()] : []
  const close = async () => {
    for (const step of closing.reverse()) await step()
  }
  try {
    const migrationsFolder = join(projectFolder, 'drizzle', 'migrations')
    const store = await openStore({ url: databaseUrl ?? embedded!.url, migrationsFolder, log, ...(embedded && { kind: embedded.kind }) })
    closing.push(() => store.close())
    const organization =
      organizationJson === undefined ? await loadOrganizationKeys(dataDir, { name: organizationName, now: store.clock.now() }) : parseOrganizationKeys(organizationJson)
    const artifacts = await openArtifactFolder(join(dataDir, 'artifacts'))
    return { store, artifacts, organization, close, ...(embedded?.notice !== undefined && { notice: embedded.notice }) }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** Beside keys that have signed elsewhere a new database would pass for an Organization without a history; throws StoreFault instead. */
async function openOwnDatabase({ dataDir, organizationJson }: Settings, log: Log): Promise<EmbeddedDatabase> {
  if (organizationJson === undefined && hasOrganizationFile(dataDir) && !hasEmbedded(dataDir)) {
    throw new StoreFault('log-elsewhere', `${dataDir} has the Organization's keys but not its log. Set DATABASE_URL as it was set when the server ran.`)
  }
  return openEmbedded(dataDir, log)
}
