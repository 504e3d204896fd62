import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { conforms, runBundles } from './conformance-bundles.ts'

const folder = process.env['MWP_VECTORS'] ?? join(import.meta.dirname, '../../shared/vectors/mwp')

if (existsSync(folder)) describe('public conformance bundles', publicBundles)
else it.skip('public conformance bundles are absent: set MWP_VECTORS to their folder', () => undefined)

function publicBundles(): void {
  it('pass every evaluation of the structural, cryptography and admission bundles (A-280 to A-282)', async () => {
    const reports = await runBundles(folder)
    expect(reports.flatMap(({ differences }) => differences)).toEqual([])
    expect(reports.map(({ name, passed, total }) => `${name} ${passed}/${total}`)).toEqual([
      'structural 58/58',
      'cryptography 62/62',
      'admission 30/30',
    ])
    expect(reports.every(conforms)).toBe(true)
  }, 60_000)

  describe('once a file is changed (A-285)', () => {
    let copy: string
    beforeAll(() => {
      copy = mkdtempSync(join(tmpdir(), 'bundles-'))
      cpSync(folder, join(copy, 'inner'), { recursive: true })
    })
    afterAll(() => rmSync(copy, { recursive: true }))

    async function differencesAfter(path: string, edit: (text: string) => string): Promise<readonly string[]> {
      const file = join(copy, 'inner', path)
      const original = readFileSync(file)
      writeFileSync(file, edit(original.toString('utf8')))
      const reports = await runBundles(copy)
      writeFileSync(file, original)
      expect(reports.every(conforms)).toBe(false)
      return reports.flatMap(({ differences }) => differences)
    }

    it.each([
      ['a structural verdict', 'conformance/manifest.json', '"valid": true', '"valid": false', /command.json is accepted/],
      ['an expected stage', 'cryptography/manifest.json', '"stage": "key-resolution"', '"stage": "schema"', /digest/],
      ['white space of a listed file', 'cryptography/vectors/signed-documents/valid/command.json', '{', '{ ', /hash/],
      ['a registry fixture', 'cryptography/keys/registry-valid.json', '"algorithm"', '"algo"', /does not fit/],
      ['an admission record', 'admission/records/valid/command.json', 'T00:05:00Z', 'T00:06:00Z', /first-admission.command/],
      ['a record made unreadable', 'admission/records/valid/event.json', '{', '', /first-admission.event/],
    ])('notices %s', async (_what, path, from, to, difference) => {
      const differences = await differencesAfter(path, (text) => text.replace(from, to))
      expect(differences.join('\n')).toMatch(difference)
    }, 60_000)
  })
}
