// How the demonstration finds the running server, and what it asks of it as its operator.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const serverFile = z.object({ address: z.string(), origin: z.string(), adminToken: z.string() })
export type ServerFile = z.infer<typeof serverFile>

/** `server.json` of the data folder, or undefined while no server has written one. */
export async function findServer(dataDir: string): Promise<ServerFile | undefined> {
  const text = await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => '')
  try {
    return serverFile.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The server's address on this machine; with TLS its public name, which is the one in the certificate. */
const baseOf = ({ address, origin }: ServerFile): string => (address.startsWith('https:') ? origin : address)

/** Where its door for Agents is. */
export const doorOf = (server: ServerFile): string => `${baseOf(server).replace(/^http/, 'ws')}/mwp`

/** The result of an operator's command. Throws with the server's words when it refuses. */
export async function askAdmin(server: ServerFile, command: string, args: object = {}): Promise<unknown> {
  const response = await fetch(`${baseOf(server)}/api/admin`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command, args }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: string }
  if (!response.ok) throw new Error(error ?? `the server answered ${response.status}`)
  return result
}
