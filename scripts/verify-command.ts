// The offline verifier behind `npm run verify`. It reads the named files and nothing else: no server, no network.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { GivenFile, ReceiptReport } from '../protocol/receipt.ts'
import { verifyReceipt } from '../protocol/receipt.ts'
import { MAX_RECEIPT_BYTES } from '../protocol/receipt-checks.ts'
import { RECEIPT_FORMAT } from '../protocol/receipt-format.ts'
import { isJsonObject, parseStrictJson } from '../protocol/strict-json.ts'

type Request = {
  readonly bytes: Uint8Array
  readonly files: readonly GivenFile[]
  readonly authorityKey: string | undefined
}
/** `report` is for machines, `lines` for people. */
type Verdict = { readonly ok: boolean; readonly report: object; readonly lines: readonly string[] }

/** How each kind of exported file is verified, by the `format` that it declares. */
const FORMATS: Readonly<Record<string, (request: Request) => Promise<Verdict>>> = {
  [RECEIPT_FORMAT]: judgeReceipt,
}

/**
 * Verifies `<file> [artifact files or folders…] [--authority-key KEY] [--json]`. Exit code 0: valid; 1: refused.
 * Throws when the arguments make no sense or a file cannot be read.
 */
export async function verifyCommand(args: readonly string[]): Promise<{ exitCode: 0 | 1; output: string }> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'authority-key': { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  const [file, ...paths] = positionals
  if (file === undefined) throw new TypeError('no file to verify is named')
  const bytes = readFileSync(file)
  const format = formatOf(bytes)
  const judge = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  const request = { bytes, files: filesAt(paths, file), authorityKey: values['authority-key'] }
  const verdict = judge === undefined ? refuseFormat(format) : await judge(request)
  const output = values.json ? JSON.stringify(verdict.report, null, 2) : verdict.lines.map(printable).join('\n')
  return { exitCode: verdict.ok ? 0 : 1, output }
}

/** The declared format; a file that declares none is taken for a receipt, whose checks then say what is wrong. */
function formatOf(bytes: Uint8Array): string {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_RECEIPT_BYTES })
  const format = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value['format'] : undefined
  return typeof format === 'string' ? format : RECEIPT_FORMAT
}

function refuseFormat(format: string): Verdict {
  const refusal = { name: 'file', ok: false, detail: `the format "${format}" is not known` }
  return { ok: false, report: { ok: false, checks: [refusal], refusal }, lines: [`REFUSED: ${refusal.detail}`] }
}

async function judgeReceipt({ bytes, files, authorityKey }: Request): Promise<Verdict> {
  const report = await verifyReceipt(bytes, {
    ...(files.length === 0 ? {} : { files }),
    ...(authorityKey === undefined ? {} : { authorityPublicKey: authorityKey }),
  })
  if (!report.ok) return { ok: false, report, lines: [...checkLines(report), '', refusalLine(report.refusal)] }
  const { receipt, ...proven } = report
  const { mission } = receipt
  const lines = [
    ...checkLines(report),
    '',
    ...report.artifacts.map(artifactLine),
    '',
    `VALID: revision ${mission.revision} of "${mission.title}" (${mission.missionId}) is approved.`,
    '',
    'What this does not prove:',
    ...report.limits.map((limit) => `- ${limit}`),
  ]
  return { ok: true, report: { ...proven, mission }, lines }
}

type Refused = Extract<ReceiptReport, { ok: false }>
type Accepted = Extract<ReceiptReport, { ok: true }>

const checkLines = ({ checks }: ReceiptReport): string[] =>
  checks.map(({ name, ok, detail }) => `${ok ? 'ok      ' : 'REFUSED '} ${name}: ${detail}`)

const refusalLine = ({ name, detail }: Refused['refusal']): string => `REFUSED: ${name}: ${detail}`

function artifactLine({ hash, name, sizeBytes, isIncluded, files }: Accepted['artifacts'][number]): string {
  const found = [...(isIncluded ? ['in the receipt'] : []), ...files]
  return `${hash}  ${name}  ${sizeBytes} bytes  ${found.length > 0 ? `recomputed: ${found.join(', ')}` : 'not given, not recomputed'}`
}

/** Every file at the paths, folders with all they hold; never the file to verify itself. */
function filesAt(paths: readonly string[], verified: string): GivenFile[] {
  return paths.flatMap((path) => {
    if (statSync(path).isDirectory()) return filesAt(readdirSync(path).sort().map((name) => join(path, name)), verified)
    return resolve(path) === resolve(verified) ? [] : [{ name: path, bytes: readFileSync(path) }]
  })
}

/** A file may hold titles and ids that steer a terminal; they are shown as their code points. */
const printable = (line: string): string =>
  line.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
