// `npm run admin -- …`: the operator's tool.
import { readCommandLine, usage, UsageError } from './admin-command-line.ts'
import { operate } from './operate.ts'

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
  const request = readCommandLine(process.argv.slice(2))
  if (request === 'help') return console.log(usage)
  const result = await operate(request.command, request.args, request.dataDir)
  if (request.isJson) console.log(JSON.stringify(result, undefined, 2))
  else print(result)
}

// Whoever reads along, such as `head`, may have seen enough.
process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
  if (fault.code !== 'EPIPE') throw fault
})

try {
  await main()
} catch (fault) {
  const isUsage = fault instanceof UsageError
  console.error(isUsage ? `${fault.message}\nnpm run admin -- --help lists the commands.` : fault instanceof Error ? fault.message : fault)
  process.exitCode = isUsage ? 2 : 1
}
