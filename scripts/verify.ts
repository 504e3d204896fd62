import { verifyCommand } from './verify-command.ts'

const USAGE = 'usage: npm run verify -- <receipt or exported Group> [artifact files or folders…] [--authority-key KEY] [--json]'
const WRONG_USE = 2

if (process.argv.includes('--help')) {
  console.log(USAGE)
  process.exit(0)
}
try {
  const { exitCode, output } = await verifyCommand(process.argv.slice(2))
  console.log(output)
  process.exitCode = exitCode
} catch (cause) {
  console.error(`${cause instanceof Error ? cause.message : String(cause)}\n${USAGE}`)
  process.exitCode = WRONG_USE
}
