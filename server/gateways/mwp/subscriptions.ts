import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { GroupSubscription, SubscribeFrame } from '../../../protocol/generated/types.ts'
import type { AuthorityService } from '../../service/service.ts'
import type { MwpLimits } from './limits.ts'
import type { Outbox } from './outbox.ts'
import type { Related } from './read-frame.ts'
import { Subscription } from './subscription.ts'

export interface SubscriptionsHost {
  readonly service: AuthorityService
  readonly limits: MwpLimits
  readonly agentId: string
  readonly outbox: Outbox
  sendError(rejection: Rejection, related: Related): void
  onFault(fault: unknown): void
}

/** The Groups that one connection follows, each at its own pace. */
export class Subscriptions {
  readonly #host: SubscriptionsHost
  readonly #byGroup = new Map<string, Subscription>()

  constructor(host: SubscriptionsHost) {
    this.#host = host
  }

  find(groupId: string): Subscription | undefined {
    return this.#byGroup.get(groupId)
  }

  /** Naming a Group again replaces its filter and position. A Group that is refused leaves the others alone. */
  subscribe(frame: SubscribeFrame): void {
    for (const request of frame.groups) this.#follow(request, frame.frameId)
  }

  close(): void {
    for (const subscription of this.#byGroup.values()) subscription.close()
    this.#byGroup.clear()
  }

  #follow(request: GroupSubscription, relatedFrameId: string): void {
    const { groupId } = request
    const { limits, outbox, sendError, ...host } = this.#host
    const related = { relatedFrameId, groupId }
    const replaced = this.#byGroup.get(groupId)
    if (replaced === undefined && this.#byGroup.size >= limits.maxGroups) {
      sendError(reject('BACKPRESSURE', `a connection follows at most ${limits.maxGroups} Groups`), related)
      return
    }
    const subscription = new Subscription(request, outbox.lane(), {
      ...host,
      limits,
      sendError: (rejection) => sendError(rejection, related),
    })
    this.#byGroup.set(groupId, subscription)
    replaced?.close()
    void subscription.run().then(() => {
      if (this.#byGroup.get(groupId) === subscription) this.#byGroup.delete(groupId)
    })
  }
}
