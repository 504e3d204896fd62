import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import type { Log } from '../../log.ts'
import { StoreFault } from '../store-fault.ts'
import type { Cluster } from './cluster.ts'
import { choosePort, clusterUrl, freePort } from './cluster.ts'
import type { Postmaster } from './postmaster.ts'
import { findPostmaster, POLL_MS, startPostmaster, stopPostmaster } from './postmaster.ts'

const FIRST_BACK_OFF_MS = 50
const MAX_BACK_OFF_MS = 5_000
/** After a kill the old server's processes may need seconds to let go of the folder. */
const MAX_FIRST_ATTEMPTS = 8
/** Held shared by every supervisor of a cluster, so that the last one knows that it is the last. */
const SUPERVISOR_LOCK = 'countersign.supervisors'

/**
 * Keeps the cluster's server running: adopts one that an earlier process left behind or that another one started, starts
 * it otherwise, and starts it again when it dies. Any number of supervisors may hold one cluster; the last stops the server.
 */
export class Supervisor {
  readonly #cluster: Cluster
  readonly #log: Log | undefined
  #tether: postgres.Sql | undefined
  #child: ChildProcess | undefined
  #isStopping = false
  #port = 0
  #recovery: Promise<void> = Promise.resolve()

  private constructor(cluster: Cluster, log: Log | undefined) {
    this.#cluster = cluster
    this.#log = log
  }

  /** Throws StoreFault `embedded-unavailable` when the server fails to start again and again. */
  static async start(cluster: Cluster, log?: Log): Promise<Supervisor> {
    const supervisor = new Supervisor(cluster, log)
    await supervisor.#ensureRunning(MAX_FIRST_ATTEMPTS)
    process.once('exit', supervisor.#stopOnExit)
    return supervisor
  }

  get url(): string {
    return clusterUrl(this.#cluster, this.#port)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    process.off('exit', this.#stopOnExit)
    await this.#recovery
    if (await this.#leave()) await this.#stopServer()
    await this.#tether?.end({ timeout: 1 })
  }

  /** Whether no other supervisor holds the cluster; a server that does not answer is nobody's. */
  async #leave(): Promise<boolean> {
    if (!this.#tether) return true
    try {
      await this.#tether`SELECT pg_advisory_unlock_shared(hashtext(${SUPERVISOR_LOCK}))`
      const [row] = await this.#tether<{ isLast: boolean }[]>`SELECT pg_try_advisory_lock(hashtext(${SUPERVISOR_LOCK})) AS "isLast"`
      return row?.isLast ?? true
    } catch {
      return true
    }
  }

  async #stopServer(): Promise<void> {
    const server = await findPostmaster(this.#cluster.dataPath)
    if (server) await stopPostmaster(this.#cluster.dataPath, server.pid)
    // Started a moment ago, it has not written its lock file yet.
    else if (this.#isChildRunning()) this.#child?.kill('SIGINT')
  }

  /** The process ends without `stop`: a smart shutdown lets other supervisors finish. */
  readonly #stopOnExit = () => {
    if (this.#isChildRunning()) this.#child?.kill('SIGTERM')
  }

  #isChildRunning(): boolean {
    const child = this.#child
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null
  }

  async #ensureRunning(maxAttempts: number): Promise<void> {
    for (let attempt = 1; !this.#isStopping; attempt += 1) {
      const server = await this.#readyServer()
      if (server && (await this.#tieTo(server.port))) return
      if (attempt === maxAttempts) throw new StoreFault('embedded-unavailable', `PostgreSQL does not start; its reasons are in ${this.#cluster.logPath}`)
      await pause(Math.min(FIRST_BACK_OFF_MS * 2 ** attempt, MAX_BACK_OFF_MS))
    }
  }

  /** Waits for a server that is starting, recovering or stopping, whoever started it; starts one if there is none. Undefined when that one died. */
  async #readyServer(): Promise<Postmaster | undefined> {
    let hasStarted = false
    for (; !this.#isStopping; await pause(POLL_MS)) {
      const server = await findPostmaster(this.#cluster.dataPath)
      if (server?.isReady) return server
      if (server || this.#isChildRunning()) continue
      if (hasStarted) return undefined
      await this.#spawn()
      hasStarted = true
    }
    return undefined
  }

  async #spawn(): Promise<void> {
    // Clients hold on to the address, so a restart waits for its port rather than take another.
    const port = this.#port === 0 ? await choosePort(this.#cluster) : await freePort(this.#port)
    if (port !== undefined) this.#child = await startPostmaster(this.#cluster, port)
  }

  /** Opens the connection whose end tells that the server is gone. False when the server was about to stop. */
  async #tieTo(port: number): Promise<boolean> {
    const tether = postgres(clusterUrl(this.#cluster, port), {
      max: 1,
      max_lifetime: null,
      fetch_types: false,
      connect_timeout: 5,
      onnotice: () => {},
      onclose: () => void this.#onTetherClosed(tether),
      connection: { application_name: 'countersign supervisor' },
    })
    try {
      await tether`SELECT pg_advisory_lock_shared(hashtext(${SUPERVISOR_LOCK}))`
    } catch (cause) {
      this.#log?.warn({ err: cause }, 'the embedded PostgreSQL did not take the connection')
      await tether.end({ timeout: 0 })
      return false
    }
    this.#tether = tether
    this.#port = port
    return true
  }

  async #onTetherClosed(tether: postgres.Sql): Promise<void> {
    if (this.#isStopping || this.#tether !== tether) return
    this.#tether = undefined
    this.#log?.warn('the embedded PostgreSQL stopped and is started again')
    await tether.end({ timeout: 0 })
    const giveUp = (cause: unknown) => this.#log?.error({ err: cause }, 'the embedded PostgreSQL cannot be started again')
    this.#recovery = this.#ensureRunning(Infinity).catch(giveUp)
  }
}
