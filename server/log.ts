// Log lines. Of a fault they say where it happened and of what kind, and nothing of what was being written: the database driver and
// the query builder put parameters into messages and members of their errors, and parameters are what people and Agents said.
import { pino } from 'pino'
import type { LogFn, Logger } from 'pino'

export type Log = Logger

/** What must never reach a log line, wherever it sits in the logged object. */
const secretMembers = ['authorization', 'cookie', 'token', 'sessionToken', 'adminToken', 'seed', 'signature', 'proof']

/** JSON lines on standard error; keys, tokens and signatures are replaced by `[redacted]`, and of a fault its report is written. */
export function createLog(level: string, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: null,
    redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (fault: unknown) => reportFault(fault) },
    hooks: { logMethod: withMessage },
  }
  return pino(options, destination ?? pino.destination(2))
}

/** Where no message is given, the logger would take that of the fault as it is. */
function withMessage(this: Logger, args: Parameters<LogFn>, write: LogFn): void {
  const [subject, ...others] = args as unknown[]
  const fault = subject instanceof Error ? subject : (subject as { err?: unknown } | undefined)?.err
  if (others.length > 0 || !(fault instanceof Error)) write.apply(this, args)
  else write.apply(this, [subject instanceof Error ? { err: fault } : subject, messageToShow(fault)] as Parameters<LogFn>)
}

/** For tests and tools that show their own text. */
export const silentLog = (): Log => pino({ level: 'silent' })

/** Members that tell about the fault; everything else stays out of the log. */
const telling = ['code', 'errno', 'syscall', 'address', 'port', 'path', 'category', 'conflict', 'severity', 'schema_name', 'table_name', 'column_name', 'constraint_name', 'routine'] as const

interface FaultReport {
  readonly type: string
  readonly message: string
  /** Frames only. */
  readonly stack: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
  readonly [member: string]: unknown
}

/** Errors with their causes, each as a report; what is none stays as it is. `depth` bounds causes that lead in a circle. */
function reportFault(fault: unknown, depth = 5): unknown {
  if (!(fault instanceof Error)) return fault
  const members = fault as Error & Record<string, unknown>
  const { cause } = fault
  const report: FaultReport = {
    type: fault.constructor.name,
    message: messageToShow(fault),
    stack: framesOf(fault),
    ...Object.fromEntries(telling.flatMap((name) => (['string', 'number'].includes(typeof members[name]) ? [[name, members[name]]] : []))),
    ...(cause instanceof Error && depth > 0 && { cause: reportFault(cause, depth - 1) }),
    ...(fault instanceof AggregateError && depth > 0 && { errors: fault.errors.map((each) => reportFault(each, depth - 1)) }),
  }
  return report
}

/** The message, without the values that a statement was sent with. */
function messageToShow(fault: Error): string {
  const { query, params, code } = fault as { query?: unknown; params?: unknown; code?: unknown }
  if (typeof query === 'string' && params !== undefined) return `Failed query: ${query}`
  // Data exceptions of SQL quote the data.
  if (fault.name === 'PostgresError' && typeof code === 'string' && code.startsWith('22')) return `data exception ${code}`
  return fault.message
}

/** The stack begins with the message, which may hold anything, lines that look like frames included. */
function framesOf({ stack = '', message }: Error): string {
  const start = stack.indexOf(message)
  const rest = start === -1 ? '' : stack.slice(start + message.length)
  return rest.split('\n').filter((line) => line.startsWith('    at ')).join('\n')
}
