// Whose connection it is: a bearer token in the header or, for programs that cannot set one, among the subprotocols.
import type { IncomingMessage } from 'node:http'
import { bearerToken } from '../../http-messages.ts'

/** The subprotocol that the server answers with; a token is never sent back. */
export const IAP_SUBPROTOCOL = 'countersign.iap'

const offered = /^bearer\.([A-Za-z0-9._~-]+)$/

export function tokenOf(request: IncomingMessage): string | undefined {
  return bearerToken(request) ?? subprotocolsOf(request).flatMap((name) => offered.exec(name)?.[1] ?? [])[0]
}

const subprotocolsOf = ({ headers }: IncomingMessage): readonly string[] => (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
