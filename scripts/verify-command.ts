// The offline verifier behind `npm run verify`. It reads the named files and nothing else: no server, no network.
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { GivenFile, ReceiptReport } from '../protocol/receipt.ts'
import { verifyReceipt } from '../protocol/receipt.ts'
import { MAX_RECEIPT_BYTES } from '../protocol/receipt-checks.ts'
import { RECEIPT_FORMAT } from '../protocol/receipt-format.ts'
import { isJsonObject, parseStrictJson } from '../protocol/strict-json.ts'
import { GROUP_EXPORT_FORMAT } from '../server/service/group-export-format.ts'
import { LineTooLong, linesOf } from '../server/service/lines.ts'
import { createNativeVerifier } from '../server/service/native-ed25519.ts'
import type { ExportReport } from '../server/service/verify-export.ts'
import { maximumLineBytes, verifyExport } from '../server/service/verify-export.ts'

type Request = {
  readonly path: string
  readonly files: readonly GivenFile[]
  readonly authorityKey: string | undefined
}
/** `report` is for machines, `lines` for people. */
type Verdict = { readonly ok: boolean; readonly report: object; readonly lines: readonly string[] }

/** How each kind of exported file is verified, by the `format` that it declares. */
const FORMATS: Readonly<Record<string, (request: Request) => Promise<Verdict>>> = {
  [RECEIPT_FORMAT]: judgeReceipt,
  [GROUP_EXPORT_FORMAT]: judgeExport,
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
  const format = await formatOf(file)
  const judge = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  const request = { path: file, files: filesAt(paths, file), authorityKey: values['authority-key'] }
  const verdict = judge === undefined ? refuseFormat(format) : await judge(request)
  const output = values.json ? JSON.stringify(verdict.report, null, 2) : verdict.lines.map(printable).join('\n')
  return { exitCode: verdict.ok ? 0 : 1, output }
}

/** The format that the first line declares, undefined where it is too long to be read; a file that declares none is taken for a receipt, whose checks then say what is wrong. */
async function formatOf(path: string): Promise<string | undefined> {
  try {
    return await declaredFormat(path)
  } catch (fault) {
    if (fault instanceof LineTooLong) return undefined
    throw fault
  }
}

async function declaredFormat(path: string): Promise<string> {
  for await (const line of linesOf(createReadStream(path), MAX_RECEIPT_BYTES)) {
    const parsed = parseStrictJson(line, { maxBytes: MAX_RECEIPT_BYTES })
    const format = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value['format'] : undefined
    if (typeof format === 'string') return format
    break
  }
  return RECEIPT_FORMAT
}

function refuseFormat(format: string | undefined): Verdict {
  const detail = format === undefined ? `the first line has more than ${MAX_RECEIPT_BYTES} bytes, which neither a receipt nor the file of a Group has` : `the format "${format}" is not known`
  const refusal = { name: 'file', ok: false, detail }
  return { ok: false, report: { ok: false, checks: [refusal], refusal }, lines: [`REFUSED: ${refusal.detail}`] }
}

async function judgeReceipt({ path, files, authorityKey }: Request): Promise<Verdict> {
  const report = await verifyReceipt(readFileSync(path), {
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

async function judgeExport({ path, files, authorityKey }: Request): Promise<Verdict> {
  if (files.length > 0) throw new TypeError('the file of a Group is verified by itself, without other files')
  const options = { verifySignature: createNativeVerifier(), ...(authorityKey !== undefined && { authorityPublicKey: authorityKey }) }
  const report = await verifyExport(linesOf(createReadStream(path), maximumLineBytes), options)
  return { ok: report.ok, report, lines: exportLines(report, authorityKey !== undefined) }
}

function exportLines(report: ExportReport, isCompared: boolean): string[] {
  if (!report.ok) return [`REFUSED: line ${report.line}: ${report.reason}`]
  const { title, groupId, missionState, isArchived, events, commands, stateHash, authorityPublicKey, limits } = report.group
  return [
    `ok       events: ${events}, without a gap, each signed by the authority`,
    `ok       commands: ${commands}, each signed by its actor, admitted and answered`,
    `ok       state: ${stateHash}, folded again from the Events`,
    `ok       authority key: ${authorityPublicKey}${isCompared ? '' : ', not compared with a key that you trust'}`,
    '',
    `VALID: "${title}" (${groupId}), ${missionState}, ${isArchived ? 'archived' : 'not archived'}.`,
    '',
    'What to know about this file:',
    ...limits.map((limit) => `- ${limit}`),
  ]
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
