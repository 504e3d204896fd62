// Inventory of every dependency in a package-lock.json, with the licence it declares.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Dependency {
  readonly name: string
  readonly version: string
  /** As declared; empty when neither the lock file nor the installed package says. */
  readonly licence: string
  readonly path: string
  readonly isDevelopmentOnly: boolean
  readonly isOptional: boolean
  readonly integrity: string
}

export interface Inventory { readonly project: string; readonly lockfileVersion: number; readonly dependencies: readonly Dependency[] }

type ReadText = (path: string) => Promise<string>

interface LockedPackage { name?: string; version?: string; license?: unknown; integrity?: string; dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean }

/**
 * Reads `<folder>/package-lock.json` (lockfile version 2 or 3). Throws with a sentence when the folder has none that it
 * can read. `readText` is called once for every file.
 */
export async function takeInventory(folder: string, readText: ReadText = readUtf8): Promise<Inventory> {
  const lock = await readLock(folder, readText)
  const dependencies: Dependency[] = []
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes('node_modules/') && !entry.link) dependencies.push(await describe(folder, path, { entry, readText }))
  }
  dependencies.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.path.localeCompare(b.path, 'en'))
  return { project: lock.name, lockfileVersion: lock.lockfileVersion, dependencies }
}

async function readLock(folder: string, readText: ReadText) {
  const text = await readText(join(folder, 'package-lock.json')).catch((cause: unknown) => {
    throw new Error('The folder has no package-lock.json that can be read.', { cause })
  })
  const lock = (parseLock(text) ?? {}) as { name?: string; lockfileVersion?: number; packages?: Record<string, LockedPackage> }
  if (!lock.packages) throw new Error('The lock file is older than version 2 and lists no packages. Run npm install with a current npm.')
  return { name: lock.name ?? 'unnamed', lockfileVersion: lock.lockfileVersion ?? 0, packages: lock.packages }
}

function parseLock(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('The package-lock.json of the folder is not JSON.', { cause })
  }
}

async function describe(folder: string, path: string, { entry, readText }: { entry: LockedPackage; readText: ReadText }): Promise<Dependency> {
  return {
    name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: entry.version ?? '',
    licence: typeof entry.license === 'string' ? entry.license : (await installedLicence(join(folder, path), readText)),
    path,
    isDevelopmentOnly: entry.dev === true || entry.devOptional === true,
    isOptional: entry.optional === true || entry.devOptional === true,
    integrity: entry.integrity ?? '',
  }
}

/** The installed package's own word, for the few lock entries that carry none. */
async function installedLicence(packageFolder: string, readText: ReadText): Promise<string> {
  try {
    const manifest = JSON.parse(await readText(join(packageFolder, 'package.json'))) as { license?: string | { type?: string } }
    return typeof manifest.license === 'string' ? manifest.license : (manifest.license?.type ?? '')
  } catch {
    return ''
  }
}

const readUtf8: ReadText = (path) => readFile(path, 'utf8')
