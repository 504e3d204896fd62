// The console's procedures over plain HTTP (tRPC without its client), with the session cookie kept between calls.
import type { Credentials } from './authority-http.ts'
import { HttpFault } from './refusal.ts'

/** A procedure that was not carried out; `code` is tRPC's, for example `NOT_FOUND`. */
export class ProcedureRefused extends Error {
  override readonly name = 'ProcedureRefused'
  readonly code: string

  constructor(procedure: string, code: string, message: string) {
    super(`${procedure}: ${message}`)
    this.code = code
  }
}

interface Answer {
  readonly result?: { readonly data?: unknown }
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } }
}

export class ConsoleHttp {
  readonly origin: string
  #cookie = ''

  constructor(origin: string) {
    this.origin = origin
  }

  get credentials(): Credentials {
    return { cookie: this.#cookie }
  }

  query<T>(procedure: string, input?: object): Promise<T> {
    const search = input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`
    return this.#call<T>(procedure, `${procedure}${search}`, { method: 'GET' })
  }

  mutate<T>(procedure: string, input: object = {}): Promise<T> {
    return this.#call<T>(procedure, procedure, { method: 'POST', body: JSON.stringify(input) })
  }

  async #call<T>(procedure: string, path: string, init: RequestInit): Promise<T> {
    const headers = { 'content-type': 'application/json', origin: this.origin, cookie: this.#cookie }
    const response = await fetch(`${this.origin}/api/trpc/${path}`, { ...init, headers })
    const answer = (await response.json().catch(() => ({}))) as Answer
    if (answer.error !== undefined) {
      throw new ProcedureRefused(procedure, answer.error.data?.code ?? '', answer.error.message)
    }
    if (!response.ok) throw new HttpFault(response.status, procedure)
    for (const cookie of response.headers.getSetCookie()) this.#cookie = cookie.split(';', 1)[0] ?? ''
    return answer.result?.data as T
  }
}
