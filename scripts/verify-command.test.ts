import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hash } from '../protocol/digest.ts'
import { MAX_RECEIPT_BYTES } from '../protocol/receipt-checks.ts'
import { authority, DATA, owner, receiptFile, REPORT } from '../protocol/testing/approved-mission.ts'
import { verifyCommand } from './verify-command.ts'

let folder: string
const at = (...names: string[]) => join(folder, ...names)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
  mkdirSync(at('delivery', 'data'), { recursive: true })
  writeFileSync(at('receipt.json'), await receiptFile())
  writeFileSync(at('delivery', 'report.txt'), REPORT)
  writeFileSync(at('delivery', 'data', 'numbers.csv'), DATA)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('npm run verify', () => {
  it('accepts a receipt, and says for every approved Artifact whether its content was recomputed', async () => {
    const { exitCode, output } = await verifyCommand([at('receipt.json')])
    expect(exitCode).toBe(0)
    expect(output).toContain('VALID: revision 4 of "Handbook"')
    expect(output).toMatch(new RegExp(`${sha256Hash(REPORT)}  \\S+  12 bytes  recomputed: in the receipt`))
    expect(output).toMatch(new RegExp(`${sha256Hash(DATA)}  \\S+  6 bytes  not given, not recomputed`))
    expect(output).toContain('What this does not prove:')
  })

  it('recomputes files and folders, leaving out the receipt that lies among them', async () => {
    writeFileSync(at('delivery', 'receipt.json'), await receiptFile())
    const { exitCode, output } = await verifyCommand([at('delivery', 'receipt.json'), at('delivery')])
    rmSync(at('delivery', 'receipt.json'))
    expect(exitCode).toBe(0)
    expect(output).toContain(`recomputed: in the receipt, ${at('delivery', 'report.txt')}`)
    expect(output).toContain(`recomputed: ${at('delivery', 'data', 'numbers.csv')}`)
  })

  it('refuses a file that was not approved, by name and hash', async () => {
    writeFileSync(at('draft.txt'), 'The rep0rt.\n')
    const { exitCode, output } = await verifyCommand([at('receipt.json'), at('delivery'), at('draft.txt')])
    expect(exitCode).toBe(1)
    expect(output).toMatch(/REFUSED: given files: .*draft\.txt has the hash sha256:[0-9a-f]{64}, which was not approved$/)
  })

  it('holds the receipt against a known authority key', async () => {
    const withKey = (key: string) => verifyCommand([at('receipt.json'), '--authority-key', key])
    expect((await withKey(authority.binding.publicKey)).exitCode).toBe(0)
    expect(await withKey(owner.binding.publicKey)).toMatchObject({ exitCode: 1, output: expect.stringMatching(/REFUSED: authority key/) })
  })

  it('reports to machines with --json', async () => {
    const good = await verifyCommand([at('receipt.json'), '--json'])
    expect(JSON.parse(good.output)).toMatchObject({ ok: true, mission: { revision: 4 }, artifacts: [{}, {}] })
    writeFileSync(at('cut.json'), '{}')
    const bad = await verifyCommand([at('cut.json'), '--json'])
    expect(bad.exitCode).toBe(1)
    expect(JSON.parse(bad.output)).toMatchObject({ ok: false, refusal: { name: 'file' } })
  })

  it('refuses formats it does not know', async () => {
    writeFileSync(at('other.json'), '{"format":"countersign.other.v1"}\n')
    expect(await verifyCommand([at('other.json')])).toEqual({
      exitCode: 1,
      output: 'REFUSED: the format "countersign.other.v1" is not known',
    })
  })

  it('refuses a file whose first line nobody would write', async () => {
    writeFileSync(at('long.json'), Buffer.alloc(MAX_RECEIPT_BYTES + 1, 'a'))
    expect(await verifyCommand([at('long.json')])).toMatchObject({ exitCode: 1, output: expect.stringMatching(/^REFUSED: the first line has more than \d+ bytes/) })
  })

  it('shows characters that steer a terminal as code points', async () => {
    const title = 'Handbook\u001b[2J\u202e'
    writeFileSync(at('spoof.json'), await receiptFile((receipt) => ({ ...receipt, mission: { ...receipt.mission, title } })))
    const { output } = await verifyCommand([at('spoof.json')])
    expect(output).toContain('"Handbook\\u{1b}[2J\\u{202e}"')
    expect(/[\u001b\u202e]/.test(output)).toBe(false)
  })

  it('throws for wrong use', async () => {
    await expect(verifyCommand([])).rejects.toThrow('no file to verify')
    await expect(verifyCommand([at('missing.json')])).rejects.toThrow('ENOENT')
    await expect(verifyCommand([at('receipt.json'), '--force'])).rejects.toThrow('--force')
  })
})
