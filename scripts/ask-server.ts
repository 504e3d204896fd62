import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { ServerFile } from '../server/server-file.ts'

/** The server did not carry the command out; `message` says why. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** The answer of the running server to an operator's command, or `undefined` when nobody listens there any more. */
export async function askServer(server: ServerFile, command: string, args: Record<string, unknown>): Promise<{ result: unknown } | undefined> {
  const body = JSON.stringify({ command, args })
  const headers = {
    host: new URL(server.origin).host,
    authorization: `Bearer ${server.adminToken}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const url = new URL('/api/admin', server.address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:'))
  // On this machine the data folder proves the server as well as a certificate, which may be for another name.
  const request = url.protocol === 'https:' ? tlsRequest(url, { method: 'POST', headers, rejectUnauthorized: false }) : plainRequest(url, { method: 'POST', headers })
  return new Promise((resolve, reject) => {
    request.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error)))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString()) as { result?: unknown; error?: string }
        if (response.statusCode === 200) resolve({ result: answer.result })
        else reject(new Refused(answer.error ?? `the server answered ${response.statusCode}`))
      })
    })
    request.end(body)
  })
}
