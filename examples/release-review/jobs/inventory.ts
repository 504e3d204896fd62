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

interface LockedPackage { name?: string; version?: string; license?: string; integrity?: string; dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean }

/** Reads `<folder>/package-lock.json` (lockfile version 2 or 3). Throws with a sentence when the folder has none that it can read. */
export async function takeInventory(folder: string): Promise<Inventory> {
  const lock = await readLock(folder)
  const dependencies = await Promise.all(
    Object.entries(lock.packages)
      .filter(([path, entry]) => path.includes('node_modules/') && !entry.link)
      .map(([path, entry]) => describe(folder, path, entry)),
  )
  dependencies.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.path.localeCompare(b.path, 'en'))
  return { project: lock.name, lockfileVersion: lock.lockfileVersion, dependencies }
}

async function readLock(folder: string) {
  const text = await readFile(join(folder, 'package-lock.json'), 'utf8').catch((cause: unknown) => {
    throw new Error('The folder has no package-lock.json that can be read.', { cause })
  })
  const lock = JSON.parse(text) as { name?: string; lockfileVersion?: number; packages?: Record<string, LockedPackage> }
  if (!lock.packages) throw new Error('The lock file is older than version 2 and lists no packages. Run npm install with a current npm.')
  return { name: lock.name ?? 'unnamed', lockfileVersion: lock.lockfileVersion ?? 0, packages: lock.packages }
}

async function describe(folder: string, path: string, entry: LockedPackage): Promise<Dependency> {
  return {
    name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: entry.version ?? '',
    licence: entry.license ?? (await installedLicence(join(folder, path))),
    path,
    isDevelopmentOnly: entry.dev === true || entry.devOptional === true,
    isOptional: entry.optional === true || entry.devOptional === true,
    integrity: entry.integrity ?? '',
  }
}

/** The installed package's own word, for the few lock entries that carry none. */
async function installedLicence(packageFolder: string): Promise<string> {
  try {
    const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { license?: string | { type?: string } }
    return typeof manifest.license === 'string' ? manifest.license : (manifest.license?.type ?? '')
  } catch {
    return ''
  }
}
