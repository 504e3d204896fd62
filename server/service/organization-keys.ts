// The Organization's identity and the keys of its services: made at first start, kept where only their owner may read.
import { hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { HELD_BY_SERVER } from '../../protocol/custody.ts'
import { deriveUrn } from '../../protocol/digest.ts'
import type { ServiceActor } from '../../protocol/generated/types.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import type { NativeSigner } from './native-ed25519.ts'
import { createNativeSigner } from './native-ed25519.ts'
import type { RegisteredKey } from './ports.ts'

/** A service Principal that signs for the Organization. */
export interface ServiceIdentity extends Pick<NativeSigner, 'sign' | 'signNow'> {
  readonly principal: ServiceActor
  readonly keyId: string
  /** base64url of 32 bytes. */
  readonly publicKey: string
}

export interface OrganizationKeys {
  readonly organizationId: string
  readonly name: string
  readonly createdAt: string
  /** Group Authority: signs Events, receipts and snapshots. */
  readonly authority: ServiceIdentity
  /** Registry: issues Agent Cards and opens sessions. */
  readonly registry: ServiceIdentity
  /** I.A.P. router: puts the negotiations about work of a Mission into the log of its Group. */
  readonly router: ServiceIdentity
  /** Seals the keys that are held for Agents; 32 bytes. */
  readonly custodySecret: Uint8Array
}

/** The key file is missing something or is not readable as one. */
export class OrganizationFileFault extends Error {
  override readonly name = 'OrganizationFileFault'
}

interface StoredService { readonly principalId: string; readonly keyId: string; readonly seed: string }
interface StoredOrganization {
  readonly organizationId: string
  readonly name: string
  readonly createdAt: string
  readonly authority: StoredService
  readonly registry: StoredService
}

const fileIn = (dataDir: string) => join(dataDir, 'organization.json')

/** Whether an Organization was founded in the data folder. */
export const hasOrganizationFile = (dataDir: string): boolean => existsSync(fileIn(dataDir))

/**
 * Reads `organization.json` of the data folder, or founds the Organization and writes it (mode 0600) when there is
 * none. Two servers that start at once on one folder agree on the file that came first.
 */
export async function loadOrganizationKeys(dataDir: string, founding: { name: string; now: string }): Promise<OrganizationKeys> {
  const path = fileIn(dataDir)
  const stored = await readIfPresent(path)
  if (stored !== undefined) return parseOrganizationKeys(stored)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, `${JSON.stringify(found(founding.name, founding.now), undefined, 2)}\n`, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  } finally {
    await unlink(draft)
  }
  return parseOrganizationKeys(await readFile(path, 'utf8'))
}

/** Reads the text of an `organization.json`; throws OrganizationFileFault when it is none. */
export function parseOrganizationKeys(text: string): OrganizationKeys {
  const stored = readStored(text)
  return {
    organizationId: stored.organizationId,
    name: stored.name,
    createdAt: stored.createdAt,
    authority: readService('authority', stored.authority),
    registry: readService('registry', stored.registry),
    router: routerOf(stored),
    custodySecret: secretOf(stored, 'countersign custody 1'),
  }
}

/** Comes from the Registry's seed, so that wherever the Organization's keys are, whatever else it needs is there too. */
function secretOf({ organizationId, registry: { seed } }: StoredOrganization, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', decodeBase64url(seed)!, organizationId, label, 32))
}

/** Derived, so that an Organization which was founded before there was a router has one. */
function routerOf(stored: StoredOrganization): ServiceIdentity {
  const idOf = (purpose: string) => deriveUrn(purpose, stored.organizationId)
  return readService('router', { principalId: idOf('iap-router'), keyId: idOf('iap-router-key'), seed: encodeBase64url(secretOf(stored, 'countersign iap router 1')) })
}

/** How a service's key stands in the Key Registry: valid from the founding on. */
export function serviceKey({ createdAt }: OrganizationKeys, { principal, keyId, publicKey }: ServiceIdentity): RegisteredKey {
  const words = { keyUse: 'service', custody: HELD_BY_SERVER, label: 'service key' } as const
  return { keyId, principal, algorithm: 'Ed25519', publicKey, validFrom: createdAt, history: [], ...words }
}

/** The text of a new Organization's key file. */
export function foundOrganization(name: string, now: string): string {
  return JSON.stringify(found(name, now))
}

function found(name: string, now: string): StoredOrganization {
  const urn = () => `urn:uuid:${randomUUID()}`
  const service = (): StoredService => ({ principalId: urn(), keyId: urn(), seed: encodeBase64url(randomBytes(32)) })
  return { organizationId: urn(), name, createdAt: now, authority: service(), registry: service() }
}

function readStored(text: string): StoredOrganization {
  let value: Partial<StoredOrganization>
  try {
    value = JSON.parse(text) as Partial<StoredOrganization>
  } catch {
    throw new OrganizationFileFault('the organization file is not JSON')
  }
  const { organizationId, name, createdAt, authority, registry } = value
  if (typeof organizationId !== 'string' || !isIdentifier(organizationId)) throw new OrganizationFileFault('organizationId is not an absolute URI')
  if (typeof name !== 'string' || typeof createdAt !== 'string') throw new OrganizationFileFault('name and createdAt are needed')
  if (!authority || !registry) throw new OrganizationFileFault('the keys of authority and registry are needed')
  return { organizationId, name, createdAt, authority, registry }
}

function readService(role: string, { principalId, keyId, seed }: StoredService): ServiceIdentity {
  const bytes = typeof seed === 'string' ? decodeBase64url(seed) : undefined
  if (bytes?.length !== 32) throw new OrganizationFileFault(`the seed of ${role} is not 32 bytes in base64url`)
  if (!isIdentifier(principalId) || !isIdentifier(keyId)) throw new OrganizationFileFault(`the ids of ${role} are not absolute URIs`)
  const { publicKey, sign, signNow } = createNativeSigner(bytes)
  return { principal: { id: principalId, type: 'service' }, keyId, publicKey: encodeBase64url(publicKey), sign, signNow }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}
