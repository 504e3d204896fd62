// `npm run admin -- …`: the operator's tool.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { AdminCommand } from '../server/gateways/admin/commands.ts'
import { operate } from './operate.ts'

const usage = `npm run admin -- <command> [options]

  invite create [--name NAME] [--admin] [--ttl 7d]
      A one-time link by which a person enrols. --ttl takes minutes, hours or days: 30m, 12h, 7d.
  agent add NAME --public-key KEY --capability ID@VERSION … [--max-concurrency N] [--agent-id URI] [--key-id URI]
      Registers the Ed25519 public key of an Agent (base64url, 43 characters) and issues its Agent Card.
  agent add NAME --custodial --door DOOR … --capability ID@VERSION … [--days N] [--max-concurrency N] [--agent-id URI]
      An Agent whose key the server holds, with a bearer token for these doors: ioa, mcp, iap. The token is shown once.
  agent list
  token create AGENT --door DOOR … [--name LABEL] [--days N]
      Another token for an Agent, named by its id or its name. Without --days it does not expire.
  token list [--principal ID]
  token revoke TOKENID
      Ends a token and what it has opened, on all nodes.
  access-key create LABEL [--days N]
      A key with which IOA clients register Nodes of their own. There is none before you make one.
  access-key list
  access-key revoke ACCESSKEYID
  service add NAME --public-key KEY [--service-id URI] [--key-id URI]
      Registers the Ed25519 public key of a service, which may then do what the policy in force names it for.
  service list
  key list [--principal ID]
  key revoke KEYID [--at TIME]
      Ends a key now or at an RFC 3339 time. What it signed before stays valid.
  space list
  space state GROUPID
      How far the fold of a Group has come, and its hash.
  space archive GROUPID [--offline]
      Closes the log of a Group whose Mission is over, with a signed snapshot. --offline: Agents get the snapshot in place of
      its history; the log keeps every byte.
  space export GROUPID FILE
      Writes the whole Group, redacted words too, into a new file that "npm run verify -- FILE" checks without the server.
  policy show
      The policy in force, and the Space to which an administrator's signed change of it is addressed.
  policy history [--after VERSION]
      Who changed the policy, when and why; up to 100 versions at a time.
  policy profiles
      The Extension Profiles in force.
  policy log [--group GROUPID] [--before ENTRY] [--limit N]
      What policy, authorization, budget, risk, escalation and redaction decided, newest first; 100 entries unless told.
  policy failures --group GROUPID [--before ENTRY] [--limit N]
      Why documents that named this Group failed verification or admission. Kept for 90 days.

  --data DIR   folder of the server (default ./data, or DATA_DIR)
  --json       print the result as JSON
  --help

Exit codes: 0 done, 1 refused or failed, 2 the command line makes no sense.`

const SEE_USAGE = 'npm run admin -- --help lists the commands.'

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const options = {
  name: { type: 'string' },
  admin: { type: 'boolean' },
  ttl: { type: 'string' },
  'public-key': { type: 'string' },
  capability: { type: 'string', multiple: true },
  custodial: { type: 'boolean' },
  door: { type: 'string', multiple: true },
  days: { type: 'string' },
  'max-concurrency': { type: 'string' },
  'service-id': { type: 'string' },
  'agent-id': { type: 'string' },
  'key-id': { type: 'string' },
  principal: { type: 'string' },
  at: { type: 'string' },
  after: { type: 'string' },
  offline: { type: 'boolean' },
  group: { type: 'string' },
  before: { type: 'string' },
  limit: { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>['values']

/** Arguments of each command, from its operands and options. */
const readers: Record<Exclude<AdminCommand, 'log verify'>, (operands: string[], values: Values) => Record<string, unknown>> = {
  'invite create': (_operands, { name, admin, ttl }) => defined({ name, isAdmin: admin, ttlSeconds: ttl === undefined ? undefined : seconds(ttl) }),
  'agent add': ([name], values) =>
    defined({
      name: name ?? needed('the name of the Agent'),
      publicKey: values['public-key'] ?? (values.custodial ? undefined : needed('--public-key, or --custodial,')),
      isCustodial: values.custodial,
      doors: values.door,
      days: number(values.days),
      capabilities: (values.capability ?? []).map(capability),
      maxConcurrency: number(values['max-concurrency']),
      agentId: values['agent-id'],
      keyId: values['key-id'],
    }),
  'agent list': () => ({}),
  'token create': ([agent], { door, name, days }) => defined({ agent: agent ?? needed('the id or the name of the Agent'), doors: door ?? needed('--door'), label: name, days: number(days) }),
  'token list': (_operands, { principal }) => defined({ principalId: principal }),
  'token revoke': ([tokenId]) => ({ tokenId: tokenId ?? needed('the token id') }),
  'access-key create': ([label], { days }) => defined({ label: label ?? needed('a label, such as the name of who gets it,'), days: number(days) }),
  'access-key list': () => ({}),
  'access-key revoke': ([accessKeyId]) => ({ accessKeyId: accessKeyId ?? needed('the access key id') }),
  'service add': ([name], values) =>
    defined({ name: name ?? needed('the name of the service'), publicKey: values['public-key'] ?? needed('--public-key'), serviceId: values['service-id'], keyId: values['key-id'] }),
  'service list': () => ({}),
  'key list': (_operands, { principal }) => defined({ principalId: principal }),
  'key revoke': ([keyId], { at }) => defined({ keyId: keyId ?? needed('the key id'), at }),
  'space list': () => ({}),
  'space archive': ([groupId], { offline }) => defined({ groupId: groupId ?? needed('the Group id'), isHistoryOffline: offline }),
  'space export': ([groupId, file]) => ({ groupId: groupId ?? needed('the Group id'), file: resolve(file ?? needed('the file')) }),
  'policy show': () => ({}),
  'policy history': (_operands, { after }) => defined({ after: number(after) }),
  'policy profiles': () => ({}),
  'policy log': (_operands, values) => defined({ groupId: values.group, ...page(values) }),
  'policy failures': (_operands, values) => defined({ groupId: values.group ?? needed('--group'), ...page(values) }),
  'space state': ([groupId]) => ({ groupId: groupId ?? needed('the Group id') }),
}

function needed(what: string): never {
  throw new UsageError(`${what} is missing`)
}

const page = ({ before, limit }: Values) => ({ before: number(before), limit: number(limit) })

const number = (text: string | undefined) => (text === undefined ? undefined : Number(text))

function seconds(ttl: string): number {
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(ttl) ?? []
  if (amount === undefined) throw new UsageError('--ttl looks like 30m, 12h or 7d')
  return Number(amount) * { m: 60, h: 3600, d: 86_400 }[unit as 'm' | 'h' | 'd']
}

function capability(text: string): { id: string; version: string } {
  const [id = '', version = ''] = text.split('@')
  if (id === '' || version === '') throw new UsageError('--capability looks like release.report@1.0.0')
  return { id, version }
}

const defined = (args: Record<string, unknown>) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))

/** One line an entry, `member: value` pairs for a single object. */
function print(result: unknown): void {
  const entries = Array.isArray(result) ? (result as unknown[]) : [result]
  if (entries.length === 0) console.log('none')
  for (const entry of entries) {
    const cells = Object.entries(entry as Record<string, unknown>).map(([name, value]) => `${name}: ${textOf(value)}`)
    console.log(cells.join(Array.isArray(result) ? '  ' : '\n'))
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return console.log(usage)
  if (positionals.length === 0) throw new UsageError(`a command is needed\n\n${usage}`)
  const [noun, verb, ...operands] = positionals
  const command = `${noun ?? ''} ${verb ?? ''}`.trim()
  const read = Object.hasOwn(readers, command) ? readers[command as keyof typeof readers] : undefined
  if (!read) throw new UsageError(`there is no command "${command}"`)
  const result = await operate(command as keyof typeof readers, read(operands, values), values.data)
  if (values.json) console.log(JSON.stringify(result, undefined, 2))
  else print(result)
}

try {
  await main()
} catch (fault) {
  const isUsage = fault instanceof UsageError || (fault as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')
  console.error(isUsage ? `${(fault as Error).message}\n${SEE_USAGE}` : fault instanceof Error ? fault.message : fault)
  process.exitCode = isUsage ? 2 : 1
}
