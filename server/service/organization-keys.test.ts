import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OrganizationFileFault, foundOrganization, loadOrganizationKeys, parseOrganizationKeys } from './organization-keys.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'organization-'))
})
afterEach(() => rm(folder, { recursive: true }))

const founding = { name: 'Harbour', now: '2026-11-29T12:00:00.000Z' }
const withoutFunctions = (value: unknown) => JSON.stringify(value)

it('founds an Organization once; everybody who starts on the folder has the same, and only its owner can read it', async () => {
  const starts = await Promise.all([1, 2, 3, 4].map(() => loadOrganizationKeys(join(folder, 'data'), founding)))
  const again = await loadOrganizationKeys(join(folder, 'data'), { name: 'Other', now: '2027-01-01T00:00:00Z' })
  expect(new Set([...starts, again].map(withoutFunctions)).size).toBe(1)
  expect(again).toMatchObject({ name: 'Harbour', createdAt: founding.now })
  expect((await stat(join(folder, 'data', 'organization.json'))).mode & 0o777).toBe(0o600)
})

it('reads the same keys from a text as from a file', async () => {
  const loaded = await loadOrganizationKeys(folder, founding)
  const parsed = parseOrganizationKeys(await readFile(join(folder, 'organization.json'), 'utf8'))
  expect(withoutFunctions(parsed)).toBe(withoutFunctions(loaded))
  expect(await parsed.authority.sign(new Uint8Array(3))).toEqual(await loaded.authority.sign(new Uint8Array(3)))
})

it.each([
  ['text that is no JSON', () => 'keys'],
  ['a missing id', () => foundOrganization('x', founding.now).replace('organizationId', 'id')],
  ['a seed of the wrong length', () => foundOrganization('x', founding.now).replace(/"seed":"[^"]+"/, '"seed":"AAAA"')],
])('refuses %s rather than founding anew', async (_, text) => {
  await writeFile(join(folder, 'organization.json'), text())
  await expect(loadOrganizationKeys(folder, founding)).rejects.toThrow(OrganizationFileFault)
})
