import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFolder } from './generation-lock.ts'

export interface PgliteServer {
  readonly url: string
  stop(): Promise<void>
}

/**
 * PostgreSQL compiled to WebAssembly, inside this process, behind a socket that speaks to the usual driver. It never
 * flushes to the disk, and a second process would destroy the folder, hence the lock. Throws StoreFault `embedded-in-use`.
 */
export async function openPglite(folder: string): Promise<PgliteServer> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unlock = await lockFolder(folder)
  try {
    // Loaded on demand: optional packages, and 25 MB of WebAssembly.
    const { PGlite } = await import('@electric-sql/pglite')
    const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket')
    const db = await PGlite.create(join(folder, 'data'))
    // Without a password, so behind a folder that only this account may enter; paths of sockets must be short.
    const socketFolder = await mkdtemp(join(tmpdir(), 'countersign-'))
    const server = new PGLiteSocketServer({ db, path: join(socketFolder, '.s.PGSQL.5432'), maxConnections: 1 })
    await server.start()
    return {
      url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder)}`,
      async stop() {
        await server.stop()
        await db.close()
        await rm(socketFolder, { recursive: true, force: true })
        await unlock()
      },
    }
  } catch (cause) {
    await unlock()
    throw cause
  }
}
