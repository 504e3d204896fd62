// A server on a PostgreSQL database of its own with an access key, for tests of the IOA door.
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { silentLog } from '../log.ts'
import { foundOrganization, parseOrganizationKeys } from '../service/organization-keys.ts'
import type { OrganizationKeys } from '../service/organization-keys.ts'
import type { ArtifactStore, Store } from '../service/ports.ts'
import type { AuthorityService } from '../service/service.ts'
import { openStore } from '../store/open-store.ts'
import { memoryArtifacts } from './authority-fixture.ts'
import { IoaClient } from './ioa-client.ts'
import { createTestDatabase } from './test-database.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')

interface Started { readonly origin: string; readonly port: number; readonly service: AuthorityService; stop(): Promise<void> }
interface StartOptions<L> {
  readonly resources: { readonly store: Store; readonly artifacts: ArtifactStore; readonly organization: OrganizationKeys }
  readonly log: Log
  readonly ioa?: L
}

/** A registered Node and a client that acts as it. */
export interface IoaNode { readonly id: string; readonly name: string; readonly token: string; readonly client: IoaClient }

export interface IoaWorld {
  readonly server: Started
  readonly store: Store
  readonly organization: OrganizationKeys
  readonly accessKey: string
  /** Shows nothing of itself. */
  readonly stranger: IoaClient
  node(name: string, more?: object): Promise<IoaNode>
  /** Enters a Space of this name and answers its id. */
  space(node: IoaNode, name?: string): Promise<string>
  /** What the server has asked of the store so far: calls, and rows that came back. */
  taken(): { readonly calls: number; readonly rows: number }
  /** Starts another server on the same database, and stops with it. */
  another(): Promise<{ readonly server: Started; readonly stranger: IoaClient }>
  /** Takes the database away under the server. */
  loseStore(): Promise<void>
  stop(): Promise<void>
}

/** `start` is the server's own: fixtures do not reach for it. */
export async function startIoaWorld<L>(start: (options: StartOptions<L>) => Promise<Started>, limits?: L, log: Log = silentLog()): Promise<IoaWorld> {
  const database = await createTestDatabase()
  const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 6 })
  const taken = { calls: 0, rows: 0 }
  const organization = parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
  const server = await start({ resources: { store: { ...store, log: counted(store.log, taken), readModels: counted(store.readModels, taken), openSpaces: counted(store.openSpaces, taken) }, organization, artifacts: memoryArtifacts() }, log, ...(limits && { ioa: limits }) })
  const { accessKey } = await server.service.doors.accessKeys.create({ label: 'tests' })
  const stranger = new IoaClient(`${server.origin}/ioa`)
  const others: { server: Started; store: Store }[] = []
  let names = 0
  return {
    server,
    store,
    organization,
    accessKey,
    stranger,
    async node(name, more = {}) {
      const { status, text, body } = await stranger.post('/auth/register', { name, access_key: accessKey, ...more })
      if (status !== 201) throw new Error(`registration was answered with ${status} ${text}`)
      return { id: body.id, name, token: body.token, client: stranger.with({ token: body.token, accessKey }) }
    },
    async space(node, name = `space ${names++}`) {
      const { status, text, body } = await node.client.post('/spaces', { name, description: node.name })
      if (status !== 200) throw new Error(`entering was answered with ${status} ${text}`)
      return body.id
    },
    taken: () => ({ ...taken }),
    async another() {
      const other = await openStore({ url: database.url, migrationsFolder, maxConnections: 6 })
      const beside = await start({ resources: { store: other, organization, artifacts: memoryArtifacts() }, log, ...(limits && { ioa: limits }) })
      others.push({ server: beside, store: other })
      return { server: beside, stranger: new IoaClient(`${beside.origin}/ioa`) }
    },
    loseStore: () => database.drop(),
    async stop() {
      for (const other of others) {
        await other.server.stop()
        await other.store.close()
      }
      await server.stop()
      await store.close().catch(() => undefined)
      await database.drop()
    },
  }
}

/** The same port, whose every call is counted with the rows that it gave. */
function counted<P extends object>(port: P, taken: { calls: number; rows: number }): P {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        taken.calls++
        const outcome: unknown = Reflect.apply(member, target, parameters)
        if (outcome instanceof Promise) outcome.then((rows: unknown) => (taken.rows += Array.isArray(rows) ? rows.length : 1), () => undefined)
        return outcome
      }
    },
  })
}
