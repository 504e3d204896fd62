// A whole server with an I.A.P. door on a PostgreSQL of its own, which can be stopped and started again.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invariant } from '../../../protocol/result.ts'
import { openArtifactFolder } from '../../artifacts/artifact-folder.ts'
import type { Log } from '../../log.ts'
import { silentLog } from '../../log.ts'
import type { IapOptions } from '../../service/iap/types.ts'
import type { SenderQuota } from '../../service/open-spaces/limits.ts'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import type { OrganizationKeys } from '../../service/organization-keys.ts'
import { loadOrganizationKeys } from '../../service/organization-keys.ts'
import type { ArtifactStore, Store } from '../../service/ports.ts'
import type { AuthorityService } from '../../service/service.ts'
import { openStore } from '../../store/open-store.ts'
import type { TestDatabase } from '../test-database.ts'
import { createTestDatabase } from '../test-database.ts'
import { DyingStore } from './dying-store.ts'
import { ShiftedTime } from './shifted-time.ts'
import type { AgentTraits } from './test-agent.ts'
import { TestAgent } from './test-agent.ts'

const migrationsFolder = join(import.meta.dirname, '../../../drizzle/migrations')

/** A record of a task as it stands in the Space. */
export interface SpaceRecord { readonly type: string; readonly sender: string; readonly id: string; readonly refs: readonly string[]; readonly content: Readonly<Record<string, unknown>> }

interface Running { readonly port: number; readonly origin: string; readonly service: AuthorityService; stop(): Promise<void> }
/** `startServer`, which only the tests themselves may import. */
type Start = (options: { readonly resources: { readonly store: Store; readonly organization: OrganizationKeys; readonly artifacts: ArtifactStore }; readonly log: Log; readonly port: number; readonly iap: IapOptions; readonly openQuota?: SenderQuota }) => Promise<Running>

export class IapServer {
  readonly time = new ShiftedTime()
  readonly #startServer: Start
  readonly #folder: string
  readonly #database: TestDatabase
  readonly #tokens = new Map<string, { readonly token: string; readonly principalId: string }>()
  #organization: OrganizationKeys | undefined
  #dying: DyingStore | undefined
  #running: { readonly store: Store; readonly server: Running } | undefined
  readonly #others: { readonly store: Store; readonly server: Running }[] = []

  private constructor(startServer: Start, folder: string, database: TestDatabase) {
    this.#startServer = startServer
    this.#folder = folder
    this.#database = database
  }

  static async start(startServer: Start, options: IapOptions = {}, openQuota?: SenderQuota): Promise<IapServer> {
    const start: Start = (given) => startServer({ ...given, ...(openQuota && { openQuota }) })
    const server = new IapServer(start, await mkdtemp(join(tmpdir(), 'iap-')), await createTestDatabase())
    await server.#start(options)
    return server
  }

  get server(): Running {
    invariant(this.#running, 'the server runs')
    return this.#running.server
  }

  get store(): Store {
    invariant(this.#running, 'the server runs')
    return this.#running.store
  }

  get organization(): OrganizationKeys {
    invariant(this.#organization, 'the server has run')
    return this.#organization
  }

  get url(): string {
    return `ws://127.0.0.1:${this.server.port}/iap`
  }

  /** Another run of the server on the same data and the same port. */
  async restart(options: IapOptions = {}): Promise<void> {
    const { port } = this.server
    await this.#stop()
    await this.#start(options, port)
  }

  /** The present run dies at a write of the router's; resolves when it has. */
  dieAt(write: number, when: 'before' | 'after'): Promise<void> {
    invariant(this.#dying, 'the server runs')
    this.#dying.dieAt(write, when)
    return this.#dying.died
  }

  /** Another node on the same data, which stops with this one. */
  async another(): Promise<Running> {
    const opened = await openStore({ url: this.#database.url, migrationsFolder, maxConnections: 4 })
    const store = { ...opened, clock: this.time.clock }
    const server = await this.#startServer({ resources: { store, organization: this.#organization!, artifacts: await openArtifactFolder(join(this.#folder, 'artifacts')) }, log: silentLog(), port: 0, iap: { timers: this.time } })
    this.#others.push({ store, server })
    return server
  }

  /** The server stops, and its other nodes go on. */
  async stop(): Promise<void> {
    await this.#stop()
  }

  /** Breaks the database connections that hold an advisory lock. */
  async breakLocks(): Promise<void> {
    await this.#database.ask('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())', ['advisory'])
  }

  async end(): Promise<void> {
    await this.#stop()
    for (const { server, store } of this.#others) {
      await server.stop()
      await store.close()
    }
    await this.#database.drop()
    await rm(this.#folder, { recursive: true })
  }

  /** A token of this agent's Principal, which is made when it is not there yet. */
  async token(agentId: string): Promise<string> {
    return (await this.#credentials(agentId)).token
  }

  async principal(agentId: string): Promise<string> {
    return (await this.#credentials(agentId)).principalId
  }

  async join(agentId: string, traits: AgentTraits & { readonly autoPong?: boolean } = {}): Promise<TestAgent> {
    return TestAgent.join(this.url, await this.token(agentId), agentId, traits)
  }

  /** What stands in the Space of a task, in order. */
  async records(taskId: string): Promise<readonly SpaceRecord[]> {
    await this.server.service.iap.published()
    const task = await this.store.iap.findTask(taskId)
    invariant(task, 'there is such a task')
    const messages = await this.server.service.openSpaces.read(task.spaceId, { mode: 'all' }, {})
    invariant(messages.ok, 'the Space can be read')
    return messages.value.map(decode).filter(({ content }) => content.taskId === taskId)
  }

  async #credentials(agentId: string) {
    const known = this.#tokens.get(agentId)
    if (known) return known
    const { custody, tokens } = this.server.service.doors
    const adopted = await custody.adopt({ name: agentId, capabilities: [{ id: 'data.analysis', version: '1.0.0' }] })
    invariant(adopted.ok, adopted.ok ? '' : adopted.error.reason)
    const { agentId: principalId } = adopted.value
    const issued = await tokens.issue({ principalId, doors: ['iap'], label: agentId })
    invariant(issued.ok, 'the token is issued')
    const credentials = { token: issued.value.token, principalId }
    this.#tokens.set(agentId, credentials)
    return credentials
  }

  async #start(iap: IapOptions, port = 0): Promise<void> {
    const opened = await openStore({ url: this.#database.url, migrationsFolder, maxConnections: 4 })
    this.#dying = new DyingStore({ ...opened, clock: this.time.clock })
    const { store } = this.#dying
    this.#organization ??= await loadOrganizationKeys(this.#folder, { name: 'Test', now: store.clock.now() })
    const artifacts = await openArtifactFolder(join(this.#folder, 'artifacts'))
    this.#running = { store, server: await this.#startServer({ resources: { store, organization: this.#organization, artifacts }, log: silentLog(), port, iap: { timers: this.time, ...iap } }) }
  }

  async #stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.server.stop()
    await running?.store.close()
  }
}

function decode({ bytes, contentType, senderId, messageId, messages }: SpaceMessage): SpaceRecord {
  const { content } = JSON.parse(new TextDecoder().decode(bytes)) as { content: Record<string, unknown> }
  return { type: contentType ?? '', sender: senderId, id: messageId, refs: messages, content }
}
