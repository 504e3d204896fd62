// `server.json` in the data folder: how the operator's tool finds the running server and proves that it may.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface ServerFile {
  readonly pid: number
  readonly port: number
  /** Address on this machine; `origin` may lie behind a proxy. */
  readonly address: string
  readonly origin: string
  readonly adminToken: string
}

const pathIn = (dataDir: string) => join(dataDir, 'server.json')

/** Writes the file for its owner's eyes only, and returns how to remove it; a successor's file is left alone. */
export async function writeServerFile(dataDir: string, file: ServerFile): Promise<() => Promise<void>> {
  const path = pathIn(dataDir)
  await writeFile(path, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o600 })
  await chmod(path, 0o600)
  return async () => {
    if ((await readServerFile(dataDir))?.pid === file.pid) await rm(path, { force: true })
  }
}

/** The file of a server that runs, or that was stopped without a chance to remove it. */
export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(dataDir), 'utf8')) as ServerFile
  } catch (cause) {
    if (cause instanceof SyntaxError || (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}
