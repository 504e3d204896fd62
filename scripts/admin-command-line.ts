// What the words after `npm run admin --` ask for.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { AdminCommand } from '../server/gateways/admin/commands.ts'

export const usage = `npm run admin -- <command> [options]

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
      The Organization's own logs and those of Groups; open Spaces are in the console.
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
  --json       print the result as JSON; "npm run -s admin -- …" keeps npm's own lines out of it
  --help

Exit codes: 0 done, 1 refused or failed, 2 the command line makes no sense.`

/** The command line makes no sense; `message` says what is wrong with it. */
export class UsageError extends Error {
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

/** The next operand; `what` says what it is where it is missing. */
type NextOperand = (what: string) => string

/** Arguments of each command, from its operands and options. */
const readers: Record<Exclude<AdminCommand, 'log verify'>, (next: NextOperand, values: Values) => Record<string, unknown>> = {
  'invite create': (_next, { name, admin, ttl }) => defined({ name, isAdmin: admin, ttlSeconds: ttl === undefined ? undefined : seconds(ttl) }),
  'agent add': (next, values) =>
    defined({
      name: next('the name of the Agent'),
      publicKey: values['public-key'] ?? (values.custodial ? undefined : needed('--public-key, or --custodial,')),
      isCustodial: values.custodial,
      doors: values.door ?? (values.custodial ? needed('--door') : undefined),
      days: wholeNumber('days', values),
      capabilities: (values.capability ?? needed('--capability')).map(capability),
      maxConcurrency: wholeNumber('max-concurrency', values),
      agentId: values['agent-id'],
      keyId: values['key-id'],
    }),
  'agent list': () => ({}),
  'token create': (next, values) =>
    defined({ agent: next('the id or the name of the Agent'), doors: values.door ?? needed('--door'), label: values.name, days: wholeNumber('days', values) }),
  'token list': (_next, { principal }) => defined({ principalId: principal }),
  'token revoke': (next) => ({ tokenId: next('the token id') }),
  'access-key create': (next, values) => defined({ label: next('a label, such as the name of who gets it,'), days: wholeNumber('days', values) }),
  'access-key list': () => ({}),
  'access-key revoke': (next) => ({ accessKeyId: next('the access key id') }),
  'service add': (next, values) =>
    defined({ name: next('the name of the service'), publicKey: values['public-key'] ?? needed('--public-key'), serviceId: values['service-id'], keyId: values['key-id'] }),
  'service list': () => ({}),
  'key list': (_next, { principal }) => defined({ principalId: principal }),
  'key revoke': (next, { at }) => defined({ keyId: next('the key id'), at }),
  'space list': () => ({}),
  'space archive': (next, { offline }) => defined({ groupId: next('the Group id'), isHistoryOffline: offline }),
  'space export': (next) => ({ groupId: next('the Group id'), file: resolve(next('the file')) }),
  'policy show': () => ({}),
  'policy history': (_next, values) => defined({ after: wholeNumber('after', values) }),
  'policy profiles': () => ({}),
  'policy log': (_next, values) => defined({ groupId: values.group, ...page(values) }),
  'policy failures': (_next, values) => defined({ groupId: values.group ?? needed('--group'), ...page(values) }),
  'space state': (next) => ({ groupId: next('the Group id') }),
}

function needed(what: string): never {
  throw new UsageError(`${what} is missing`)
}

const page = (values: Values) => ({ before: wholeNumber('before', values), limit: wholeNumber('limit', values) })

function wholeNumber(option: 'days' | 'max-concurrency' | 'after' | 'before' | 'limit', { [option]: text }: Values): number | undefined {
  if (text !== undefined && !/^\d+$/.test(text)) throw new UsageError(`--${option} takes a whole number, not "${text}"`)
  return text === undefined ? undefined : Number(text)
}

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

/** An operator's command and how it is to be carried out. */
export interface AdminRequest {
  readonly command: AdminCommand
  readonly args: Record<string, unknown>
  /** Folder of the server; the settings' one when absent. */
  readonly dataDir: string | undefined
  readonly isJson: boolean
}

/** Reads the command line; throws UsageError for one that makes no sense. */
export function readCommandLine(words: readonly string[]): AdminRequest | 'help' {
  const { values, positionals } = parsed(words)
  if (values.help) return 'help'
  if (positionals.length === 0) throw new UsageError(`a command is needed\n\n${usage}`)
  const command = positionals.slice(0, 2).join(' ')
  if (!isKnown(command)) throw new UsageError(`there is no command "${command}"`)
  const operands = positionals.slice(2)
  const args = readers[command]((what) => operands.shift() ?? needed(what), values)
  if (operands.length > 0) throw new UsageError(`"${operands[0]}" is a word too many; a name of several words stands in quotes`)
  return { command, args, dataDir: values.data, isJson: values.json ?? false }
}

const isKnown = (command: string): command is keyof typeof readers => Object.hasOwn(readers, command)

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (fault) {
    throw new UsageError((fault as Error).message, { cause: fault })
  }
}
