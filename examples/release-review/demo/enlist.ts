// Registers an agent of the demonstration with the running server, unless it is registered as it should be.
import { encodeBase64url } from '../../../protocol/base64url.ts'
import { publicKeyOf } from '../../../protocol/ed25519-sign.ts'
import type { AgentKey } from './demo-keys.ts'
import type { RosterEntry } from './roster.ts'
import type { ServerFile } from './server-door.ts'
import { askAdmin } from './server-door.ts'

interface ListedAgent {
  readonly agentId: string
  readonly name: string
  readonly status: string
  /** Each as `id@version`. */
  readonly capabilities: readonly string[]
}

/** Throws when the server cannot be reached or refuses. */
export async function enlist(server: ServerFile, { agentId, keyId, seed }: AgentKey, { name, capabilities }: RosterEntry): Promise<void> {
  const listed = ((await askAdmin(server, 'agent list')) as ListedAgent[]).find((agent) => agent.agentId === agentId)
  const wanted = capabilities.map(({ id, version }) => `${id}@${version}`)
  const isRight = listed?.status === 'active' && listed.name === name && listed.capabilities.join() === wanted.join()
  if (isRight) return
  await askAdmin(server, 'agent add', { agentId, keyId, name, publicKey: encodeBase64url(publicKeyOf(seed)), capabilities, maxConcurrency: 1 })
}
