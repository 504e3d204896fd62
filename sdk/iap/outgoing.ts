// Messages on their way: kept until the peer is known to have received them, and sent again over the next connection.
import type { IAPMessage } from '../../protocol/iap/types.ts'
import type { IAPConnection } from './iap-connection.ts'

/** The protocol acknowledges nothing, but a pong comes after everything before its ping was received. The same bytes are sent again, so a repeat is known by its id. */
export class OutgoingMessages {
  #waiting: string[] = []
  #connection: IAPConnection | undefined

  /** Sends what waits over a new connection. */
  use(connection: IAPConnection): void {
    this.#connection = connection
    if (this.#waiting.length > 0) this.#flush(this.#waiting)
  }

  send(message: IAPMessage): void {
    const text = JSON.stringify(message)
    this.#waiting.push(text)
    this.#flush([text])
  }

  #flush(texts: readonly string[]): void {
    const connection = this.#connection
    if (connection === undefined) return
    for (const text of texts) connection.send(text)
    const sent = new Set(this.#waiting)
    void connection.received().then(() => {
      this.#waiting = this.#waiting.filter((text) => !sent.has(text))
    }, () => undefined)
  }
}
