// The Inter-Agent Protocol router of the one node that has the seat. What it knows of agents and tasks is in memory, so it begins anew with every taking.
import type { TaskId } from '../../../protocol/iap/types.ts'
import { invariant } from '../../../protocol/result.ts'
import { DEFAULT_RULES } from '../../authority/iap/rules.ts'
import type { Seat } from '../ports.ts'
import type { RouterNeeds } from './iap-router.ts'
import { IapRouterService } from './iap-router.ts'
import type { IapLimits, IapRouter, Peer, PeerLink } from './types.ts'
import { DEFAULT_IAP_LIMITS } from './types.ts'

export class SeatedRouter implements IapRouter {
  readonly limits: IapLimits
  readonly heartbeatIntervalMs: number
  readonly #needs: RouterNeeds
  readonly #seat: Seat
  #router: IapRouterService | undefined
  #isStopped = false

  private constructor(needs: RouterNeeds, seat: Seat) {
    const { limits, rules } = needs.options ?? {}
    this.limits = { ...DEFAULT_IAP_LIMITS, ...limits }
    this.heartbeatIntervalMs = rules?.heartbeatIntervalMs ?? DEFAULT_RULES.heartbeatIntervalMs
    this.#needs = needs
    this.#seat = seat
  }

  /** Resolves when the seat was asked for; it may be taken much later, and more than once. */
  static async start(needs: RouterNeeds, seat: Seat): Promise<SeatedRouter> {
    const router = new SeatedRouter(needs, seat)
    await seat.hold({ taken: () => router.#begin(), lost: () => router.#end() })
    return router
  }

  get isServing(): boolean {
    return this.#router !== undefined
  }

  connect(principalId: string, link: PeerLink): Peer {
    return this.#here().connect(principalId, link)
  }

  async cancel(taskId: TaskId, by: string, reason?: string): Promise<boolean> {
    return this.#here().cancel(taskId, by, reason)
  }

  async published(): Promise<void> {
    await this.#router?.published()
  }

  async suspend(): Promise<void> {
    await this.#router?.suspend()
  }

  /** Whoever takes the seat next finds everything committed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#router?.stop()
    await this.#seat.leave()
    this.#router = undefined
  }

  #here(): IapRouterService {
    invariant(this.#router, 'this node serves the Inter-Agent Protocol')
    return this.#router
  }

  async #begin(): Promise<void> {
    const router = await IapRouterService.start(this.#needs)
    if (this.#isStopped) return router.stop()
    this.#router = router
    this.#needs.diagnostics.info('this node serves the Inter-Agent Protocol')
  }

  async #end(): Promise<void> {
    const router = this.#router
    this.#router = undefined
    this.#needs.diagnostics.warn({}, 'this node serves the Inter-Agent Protocol no longer')
    await router?.stop()
  }
}
