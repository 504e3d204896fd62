// Plays all transcripts against a router: npx tsx examples/iap-transcripts/main.ts ws://host/iap A=token B=token C=token D=token
// A token that belongs to an agent id already: A=token@agent-id.
import { runTranscript } from '../../sdk/iap/transcript-runner.ts'
import { readTranscripts } from './read-transcripts.ts'

const [url, ...credentials] = process.argv.slice(2)
const known = new Map(
  credentials.map((each) => {
    const [name = '', token = '', agentId] = each.split(/[=@]/)
    return [name, { token, agentId }]
  }),
)

if (url === undefined) {
  console.error('usage: main.ts <WebSocket address> [agent=token[@agent-id] …]')
  process.exitCode = 2
} else {
  const options = { url, tokenOf: (name: string) => known.get(name)?.token, ...(credentials.some((each) => each.includes('@')) && { agentIdOf: (name: string) => known.get(name)?.agentId ?? name }) }
  for (const transcript of readTranscripts()) {
    const { passed, failure, title, measures } = await runTranscript(transcript, options)
    console.log(`${passed ? 'passed' : 'FAILED'}  ${title}${failure ? ` (step ${failure.step}: ${failure.reason})` : ''}`)
    for (const { name, ms } of measures) console.log(`        ${name} ${ms.toFixed(1)} ms`)
    if (!passed) process.exitCode = 1
  }
}
