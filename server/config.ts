// The only reader of the environment. Everything else gets these values as arguments.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import type { SenderQuota } from './service/open-spaces/limits.ts'
import { defaultSenderQuota } from './service/open-spaces/limits.ts'

export interface TlsFiles { readonly cert: Buffer; readonly key: Buffer }

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export interface Config {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly dataDir: string
  /** PostgreSQL to use instead of the embedded store. */
  readonly databaseUrl?: string
  readonly tls?: TlsFiles
  /** Scheme, host and port that peers use, without a path; the audience of every signed challenge. Absent: derived from the address. */
  readonly publicOrigin?: string
  /** Further origins whose pages may call this server. */
  readonly allowedOrigins: readonly string[]
  /** How many proxies before this server append to `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** What each Principal may write to open Spaces, all of them together and for good; 0 is without a limit. */
  readonly openQuota: SenderQuota
  readonly organizationName: string
  /** Content of `organization.json` for deployments that keep keys elsewhere. */
  readonly organizationJson?: string
  readonly logLevel: LogLevel
  readonly isDevelopment: boolean
  readonly hasConsole: boolean
}

/** Every problem at once, one sentence each, so that one restart repairs them all. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const logLevels: ReadonlySet<string> = new Set(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])

/** Typed settings; throws ConfigError for a setting that is malformed or unsafe. */
export function readConfig(env: Environment = process.env): Config {
  const problems: string[] = []
  const text = (name: string) => env[name]?.trim() || undefined
  const flag = (name: string) => ['1', 'true', 'yes'].includes(text(name)?.toLowerCase() ?? '')

  const host = text('HOST') ?? '127.0.0.1'
  const port = Number(text('PORT') ?? 4310)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) problems.push(`PORT must be 0 to 65535, not "${env.PORT}".`)
  const logLevel = text('LOG_LEVEL') ?? 'info'
  if (!logLevels.has(logLevel)) problems.push(`LOG_LEVEL must be one of ${[...logLevels].join(', ')}.`)
  const trustedProxies = Number(text('TRUSTED_PROXY') ?? 0)
  if (!Number.isInteger(trustedProxies) || trustedProxies < 0 || trustedProxies > 16) problems.push(`TRUSTED_PROXY must be the number of proxies before this server, not "${env.TRUSTED_PROXY}".`)
  const openQuota = {
    messages: readAmount('OPEN_MESSAGES_PER_PRINCIPAL', text('OPEN_MESSAGES_PER_PRINCIPAL'), defaultSenderQuota.messages, problems),
    bytes: readAmount('OPEN_BYTES_PER_PRINCIPAL', text('OPEN_BYTES_PER_PRINCIPAL'), defaultSenderQuota.bytes, problems),
  }
  const databaseUrl = text('DATABASE_URL')
  // What is wrong with it is said without it: it may hold a password.
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) problems.push('DATABASE_URL must look like postgres://user:password@host:5432/database.')
  const tls = readTls(text('TLS_CERT'), text('TLS_KEY'), problems)
  const publicOrigin = readOrigin('PUBLIC_ORIGIN', text('PUBLIC_ORIGIN'), problems)
  const allowedOrigins = (text('ALLOWED_ORIGINS') ?? '')
    .split(',')
    .flatMap((entry) => readOrigin('ALLOWED_ORIGINS', entry.trim() || undefined, problems) ?? [])

  if (!isLoopback(host)) {
    if (!tls && !flag('ALLOW_PLAINTEXT')) {
      problems.push(`HOST ${host} is reachable from other machines without encryption. Give TLS_CERT and TLS_KEY, or set ALLOW_PLAINTEXT=1 behind a proxy that ends TLS.`)
    }
    if (!publicOrigin) problems.push('PUBLIC_ORIGIN is needed when HOST is not a loopback address: the address that browsers and agents use, such as https://missions.example.org.')
  }
  if (problems.length > 0) throw new ConfigError(problems)

  const organizationJson = text('ORGANIZATION_JSON')
  return {
    host,
    port,
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    ...(databaseUrl && { databaseUrl }),
    ...(tls && { tls }),
    ...(publicOrigin && { publicOrigin }),
    allowedOrigins,
    trustedProxies,
    openQuota,
    organizationName: text('ORGANIZATION_NAME') ?? 'My organization',
    ...(organizationJson && { organizationJson }),
    logLevel: logLevel as LogLevel,
    isDevelopment: env.NODE_ENV === 'development',
    hasConsole: !flag('COUNTERSIGN_NO_CONSOLE'),
  }
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function readAmount(name: string, value: string | undefined, usual: number, problems: string[]): number {
  const amount = Number(value ?? usual)
  if (!Number.isSafeInteger(amount) || amount < 0) problems.push(`${name} must be a whole number, 0 for no limit, not "${value}".`)
  return amount
}

function readTls(certPath: string | undefined, keyPath: string | undefined, problems: string[]): TlsFiles | undefined {
  if (!certPath && !keyPath) return undefined
  if (!certPath || !keyPath) {
    problems.push('TLS_CERT and TLS_KEY belong together: two paths to PEM files.')
    return undefined
  }
  const read = (name: string, path: string) => {
    try {
      return readFileSync(path)
    } catch (cause) {
      problems.push(`${name} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`)
      return undefined
    }
  }
  const cert = read('TLS_CERT', certPath)
  const key = read('TLS_KEY', keyPath)
  return cert && key && { cert, key }
}

function readOrigin(name: string, value: string | undefined, problems: string[]): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isOrigin = url && ['http:', 'https:'].includes(url.protocol) && url.origin === value.replace(/\/$/, '')
  if (!isOrigin) problems.push(`${name} must be an origin such as https://missions.example.org, not "${value}".`)
  return isOrigin ? url.origin : undefined
}
