import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takeInventory } from './inventory.ts'
import { checkLicences, licencesAllowedBy, licencesCsv } from './licence-policy.ts'
import { checkLinks, isBroken } from './link-check.ts'
import { openRisks, reviewReport } from './report.ts'

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'review-'))))
afterEach(() => rm(folder, { recursive: true }))

const lock = (packages: Record<string, unknown>) => writeFile(join(folder, 'package-lock.json'), JSON.stringify({ name: 'thing', lockfileVersion: 3, packages }))

describe('inventory', () => {
  test('lists scoped, nested and development packages with their licences, sorted', async () => {
    await lock({
      '': { name: 'thing' },
      'node_modules/b': { version: '2.0.0', license: 'MIT', dev: true },
      'node_modules/@s/a': { version: '1.0.0', license: 'ISC', integrity: 'sha512-x' },
      'node_modules/b/node_modules/@s/a': { version: '0.9.0', license: 'ISC' },
      'packages/own': { version: '1.0.0' },
    })
    const { dependencies } = await takeInventory(folder)
    expect(dependencies.map(({ name, version, isDevelopmentOnly }) => [name, version, isDevelopmentOnly])).toEqual([
      ['@s/a', '1.0.0', false],
      ['@s/a', '0.9.0', false],
      ['b', '2.0.0', true],
    ])
  })

  test('asks the installed package when the lock file is silent', async () => {
    await lock({ 'node_modules/a': { version: '1.0.0' } })
    await mkdir(join(folder, 'node_modules/a'), { recursive: true })
    await writeFile(join(folder, 'node_modules/a/package.json'), '{"license":"MIT"}')
    expect((await takeInventory(folder)).dependencies[0]?.licence).toBe('MIT')
  })

  test('says what is wrong with a folder that has no lock file', async () => {
    await expect(takeInventory(folder)).rejects.toThrow('no package-lock.json')
  })
})

describe('licence policy', () => {
  test.each([
    ['MIT', 'allowed'],
    ['MIT OR GPL-3.0-only', 'allowed'],
    ['Apache-2.0 AND LGPL-3.0-or-later', 'denied'],
    ['(MIT AND ISC) OR GPL-3.0-only', 'allowed'],
    ['SIL OPEN FONT LICENSE', 'unreadable'],
    ['', 'unreadable'],
  ])('%s is %s', async (licence, verdict) => {
    await lock({ 'node_modules/a': { version: '1.0.0', license: licence } })
    const { findings } = checkLicences(await takeInventory(folder), ['MIT', 'ISC', 'Apache-2.0'])
    expect(findings[0]?.verdict).toBe(verdict)
  })

  test('a text that is no SPDX expression can be allowed by its exact words', async () => {
    await lock({ 'node_modules/a': { version: '1.0.0', license: 'SIL OPEN FONT LICENSE' } })
    expect(checkLicences(await takeInventory(folder), ['SIL OPEN FONT LICENSE']).findings[0]?.verdict).toBe('allowed')
  })

  test('the table quotes separators', async () => {
    await lock({ 'node_modules/a': { version: '1.0.0', license: 'Custom, "odd"' } })
    expect(licencesCsv(checkLicences(await takeInventory(folder), []))).toContain('"Custom, ""odd"""')
  })

  test('a comment allows the missing licences that it names, and no others', async () => {
    await lock(Object.fromEntries(['MPL-2.0', 'LGPL-3.0-or-later', 'LGPL-3.0', 'GPL-3.0-only', 'SIL OPEN FONT LICENSE'].map((license, n) => [`node_modules/p${n}`, { version: '1.0.0', license }])))
    const report = checkLicences(await takeInventory(folder), ['MIT'])
    expect(licencesAllowedBy('Please allow MPL-2.0, LGPL-3.0-or-later and SIL OPEN FONT LICENSE.', report)).toEqual(['LGPL-3.0-or-later', 'MPL-2.0', 'SIL OPEN FONT LICENSE'])
  })
})

test.each([
  ['Please do not allow MPL-2.0.', []],
  ['Allow MPL-2.0, but never GPL-3.0-only.', []],
  ['Allow MPL-2.0. GPL-3.0-only must not ship.', ['MPL-2.0']],
  ['MPL-2.0 isn’t acceptable.', []],
  ['Do not let MPL-2.0 in.', []],
  ['Ship it without MPL-2.0', []],
  ['Allow MPL-2.0 and GPL-3.0-only: neither is linked into our code, and we do not change them.', ['GPL-3.0-only', 'MPL-2.0']],
])('a sentence that refuses something allows nothing: %s', async (comment, allowed) => {
  await lock({ 'node_modules/a': { version: '1.0.0', license: 'MPL-2.0' }, 'node_modules/b': { version: '1.0.0', license: 'GPL-3.0-only' } })
  expect(licencesAllowedBy(comment, checkLicences(await takeInventory(folder), []))).toEqual(allowed)
})

describe('link check', () => {
  test('judges files, headings, references, images and other hosts', async () => {
    await mkdir(join(folder, 'docs'))
    await writeFile(join(folder, 'README.md'), ['# Read me', '[a](docs/a.md) [b](docs/b.md) [h](docs/a.md#second-part) [x](docs/a.md#nowhere)', '![i](docs/i.png)', '[r][ref] [self](#read-me) [w](https://example.org) [up](../../etc/passwd)', '', '[ref]: docs/a.md'].join('\n'))
    await writeFile(join(folder, 'docs/a.md'), '# A\n\n## Second part\n\n[back](../README.md)')
    const { files, links } = await checkLinks(folder)
    expect(files).toEqual(['README.md', 'docs/a.md'])
    expect(Object.fromEntries(links.map(({ target, status }) => [target, status]))).toEqual({
      'docs/a.md': 'ok', 'docs/b.md': 'missing-file', 'docs/a.md#second-part': 'ok', 'docs/a.md#nowhere': 'missing-heading', 'docs/i.png': 'missing-file',
      '#read-me': 'ok', 'https://example.org': 'not-checked', '../../etc/passwd': 'outside-folder', '../README.md': 'ok',
    })
  })

  test('links inside code are not links', async () => {
    await writeFile(join(folder, 'README.md'), '`[a](nope.md)`\n\n```\n[b](nope.md)\n```\n')
    expect((await checkLinks(folder)).links).toEqual([])
  })
})

test('the report names every open point, and says so when there is none', async () => {
  await lock({ 'node_modules/a': { version: '1.0.0', license: 'MPL-2.0' } })
  await writeFile(join(folder, 'README.md'), '[gone](gone.md)')
  const inventory = await takeInventory(folder)
  const links = await checkLinks(folder)
  const strict = { inventory, links, licences: checkLicences(inventory, ['MIT']) }
  expect(openRisks(strict)).toEqual(['1 package under MPL-2.0, which is not on the list of allowed licences', '1 broken link in the Markdown files'])
  expect(reviewReport(strict)).toContain('| a | 1.0.0 | MPL-2.0 | MPL-2.0 not on the list |')
  const relaxed = { inventory, licences: checkLicences(inventory, ['MPL-2.0']), links: { files: links.files, links: links.links.filter((link) => !isBroken(link)) } }
  expect(reviewReport(relaxed)).toContain('Nothing is open')
  const answered = reviewReport(relaxed, { comment: 'Allow it.\n# Not a heading', answer: 'MPL-2.0 is now allowed.' })
  expect(answered).toContain('## Changes requested\n\n> Allow it.\n> # Not a heading\n\nMPL-2.0 is now allowed.\n\n## Dependencies')
})
