import { pino } from 'pino'
import type { Logger } from 'pino'

export type Log = Logger

/** What must never reach a log line, wherever it sits in the logged object. */
const secretMembers = ['authorization', 'cookie', 'token', 'sessionToken', 'adminToken', 'seed', 'signature', 'proof']

/** JSON lines on standard error; keys, tokens and signatures are replaced by `[redacted]`. */
export function createLog(level: string, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: null,
    redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(options, destination ?? pino.destination(2))
}

/** For tests and tools that show their own text. */
export const silentLog = (): Log => pino({ level: 'silent' })
