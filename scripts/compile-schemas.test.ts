import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const generated = path.join(root, 'protocol', 'generated')
const validators = path.join(generated, 'validators.js')

function node(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
}

test('unchanged schemas are not compiled again', () => {
  node('scripts/compile-schemas.mjs')
  const before = statSync(validators).mtimeMs
  expect(node('scripts/compile-schemas.mjs')).toBe('')
  expect(statSync(validators).mtimeMs).toBe(before)
})

test('the validators run where code from strings is forbidden, and import nothing', () => {
  const script = `
    const { documentValidators: v } = await import(${JSON.stringify(validators)})
    console.log(v.group({}), v.group.errors[0].keyword)`
  expect(node('--disallow-code-generation-from-strings', '--input-type=module', '-e', script)).toBe('false required\n')
  expect(readFileSync(validators, 'utf8')).not.toMatch(/\brequire\(|(?<!artifact\.)\bimport\b|new Function/)
})

test('every schema is Draft 2020-12 and named after its file', () => {
  const files = readdirSync(path.join(root, 'schemas'), { recursive: true, encoding: 'utf8' })
  const schemas = files.filter((name) => name.endsWith('.schema.json'))
  expect(schemas.filter((name) => /^(objects|frames)\b/.test(name))).toHaveLength(22)
  for (const name of schemas) {
    const schema = JSON.parse(readFileSync(path.join(root, 'schemas', name), 'utf8')) as Record<string, unknown>
    const stem = path.basename(name, '.schema.json')
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema.$id).toBe(idOf(path.dirname(name), stem))
  }
})

function idOf(folder: string, stem: string): string {
  if (folder === 'extensions') return `urn:countersign:schema:extension:${stem}`
  if (folder === 'iap') return `urn:countersign:schema:iap:${stem}`
  if (!folder.startsWith('payloads')) return `https://missionweaveprotocol.dev/schemas/0.1/${stem}.schema.json`
  return `urn:countersign:schema:payload:${{ commands: 'command:', events: 'event:' }[path.basename(folder)] ?? ''}${stem}`
}
