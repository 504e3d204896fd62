// The demonstration: three agents that review a folder before its release. `npm run up -- --demo` starts it beside the server.
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { runAgent } from './demo/agent-process.ts'
import { loadDemoKeys } from './demo/demo-keys.ts'
import { isRole, ROLES } from './demo/roster.ts'
import { superviseAgents } from './demo/supervisor.ts'

const usage = `Usage: demo.js --data DIR --folder DIR [--agent ROLE]
  --data DIR    data folder of the running server
  --folder DIR  folder to review
  --agent ROLE  only this agent, in this process: ${ROLES.join(', ')}`

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { data: { type: 'string' }, folder: { type: 'string' }, agent: { type: 'string' } } })
  const { data, folder, agent } = values
  if (data === undefined || folder === undefined || (agent !== undefined && !isRole(agent))) {
    console.error(usage)
    return 2
  }
  if (agent !== undefined) return runAgent(agent, { data, folder })
  const stopping = new AbortController()
  const { signal } = stopping
  const stop = () => stopping.abort()
  process.on('SIGTERM', stop).on('SIGINT', stop).on('disconnect', stop)
  await superviseAgents({ data, folder, keys: await loadDemoKeys(data), signal })
  // Whoever started this takes its end for the end of the demonstration.
  if (process.connected && !signal.aborted) await once(signal, 'abort')
  return 0
}

process.exit(await main())
