// A client without an authority: a test says which Groups there are, what they deliver and how Commands are answered.
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { WorkingClient } from '../agent-client.ts'
import type { GroupEntry } from '../authority-http.ts'
import { deferred } from '../deferred.ts'
import { ClientClosed, type Receipt } from '../refusal.ts'

export interface SubmittedCommand {
  readonly kind: string
  readonly payload: Record<string, unknown>
}

export class FakeClient {
  readonly submitted: SubmittedCommand[] = []
  /** Groups in the order in which they were subscribed to. */
  readonly subscribed: string[] = []
  answer: (command: SubmittedCommand) => Receipt | Promise<Receipt> = () => new Promise(() => undefined)
  /** The Events of a Group after a position; nothing more comes until the client is closed. */
  deliver: (groupId: string, after: number) => readonly EventDocument[] = () => []
  /** The Membership ends with the Event of this sequence. */
  endsAt = Infinity
  readonly #over = deferred<Error>()
  #lists: (readonly GroupEntry[])[] = []
  #listed = deferred<void>()

  /** The Agent's Memberships are these from now on. */
  list(...groups: readonly GroupEntry[]): void {
    this.#lists.push(groups)
    this.#listed.resolve()
  }

  close(): void {
    this.#over.resolve(new ClientClosed('closed'))
    this.#listed.resolve()
  }

  asClient(agentId: string): WorkingClient {
    const client: Pick<WorkingClient, 'agentId' | 'over' | 'watchGroups' | 'subscribe' | 'submit' | 'reportPresence'> = {
      agentId,
      over: this.#over.promise,
      watchGroups: () => this.#watch(),
      subscribe: (groupId, { after = 0 } = {}) => this.#subscribe(groupId, after),
      submit: async (kind, payload) => {
        const command = { kind, payload: payload as Record<string, unknown> }
        this.submitted.push(command)
        return Promise.race([this.answer(command), this.#over.promise.then((reason) => Promise.reject(reason))])
      },
      reportPresence: async () => undefined,
    }
    return client as WorkingClient
  }

  async *#watch(): AsyncGenerator<readonly GroupEntry[], void, void> {
    let isOver = false
    void this.#over.promise.then(() => (isOver = true))
    for (;;) {
      const next = this.#lists.shift()
      if (next !== undefined) yield next
      else if (isOver) return
      else {
        await this.#listed.promise
        this.#listed = deferred()
      }
    }
  }

  async *#subscribe(groupId: string, after: number): AsyncGenerator<EventDocument, void, void> {
    this.subscribed.push(groupId)
    for (const event of this.deliver(groupId, after)) {
      yield event
      if (event.sequence === this.endsAt) return
    }
    await this.#over.promise
  }
}
