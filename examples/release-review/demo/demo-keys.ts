// Ids and private keys of the demonstration's agents: made once, kept in the data folder for its owner's eyes only.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { decodeBase64url, encodeBase64url } from '../../../protocol/base64url.ts'
import { newId } from '../../../sdk/index.ts'
import type { Role } from './roster.ts'
import { ROLES } from './roster.ts'

export interface AgentKey {
  readonly agentId: string
  readonly keyId: string
  /** RFC 8032 private key, 32 bytes. */
  readonly seed: Uint8Array
}

const file = z.record(z.string(), z.object({ agentId: z.string(), keyId: z.string(), seed: z.string().length(43) }))

export const demoFolder = (dataDir: string): string => join(dataDir, 'demo')

/** The keys of all agents; those that are missing are made and stored first. Throws when the file is damaged. */
export async function loadDemoKeys(dataDir: string): Promise<Readonly<Record<Role, AgentKey>>> {
  const path = join(demoFolder(dataDir), 'agents.json')
  const stored = file.parse(JSON.parse(await readFile(path, 'utf8').catch(absent)))
  const missing = ROLES.filter((role) => stored[role] === undefined)
  for (const role of missing) stored[role] = { agentId: newId(), keyId: newId(), seed: encodeBase64url(randomBytes(32)) }
  if (missing.length > 0) await replaceFile(path, `${JSON.stringify(stored, undefined, 2)}\n`)
  return Object.fromEntries(ROLES.map((role) => [role, decoded(stored[role])])) as Record<Role, AgentKey>
}

function decoded(stored: z.infer<typeof file>[string] | undefined): AgentKey {
  const seed = decodeBase64url(stored?.seed ?? '')
  if (stored === undefined || seed?.length !== 32) throw new Error('the file of the demonstration’s keys is damaged')
  return { agentId: stored.agentId, keyId: stored.keyId, seed }
}

function absent(fault: NodeJS.ErrnoException): string {
  if (fault.code === 'ENOENT') return '{}'
  throw fault
}

async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode: 0o600, flush: true })
  await rename(temporary, path)
}
