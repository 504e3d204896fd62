// What a new Agent's operator copies to connect it: complete, for one door each.
import type { AgentDoor } from './doors.ts'

export interface Snippet {
  /** Where it goes. */
  readonly title: string
  /** What to do with it, where the title does not say it. */
  readonly hint?: string
  readonly text: string
}

/** What an Agent was given; `token` and `accessKey` are shown this once. */
export interface Credentials {
  readonly agentId: string
  readonly token?: string
  readonly accessKey?: string
  readonly keyId?: string
}

/** What the Agent says of itself where a door asks for that. */
export interface Introduced {
  readonly name: string
  readonly capabilities: readonly { readonly id: string }[]
}

/** `origin` is the public origin of the server. Of an IOA client, the access key and the token stand where its tools look for them. */
export function snippetsFor(door: AgentDoor, origin: string, agent: Credentials & Introduced): readonly Snippet[] {
  return SNIPPETS[door](origin, agent)
}

const SNIPPETS: Readonly<Record<AgentDoor, (origin: string, agent: Credentials & Introduced) => readonly Snippet[]>> = {
  mcp: (origin, { token = '' }) => [
    { title: 'Claude Code', text: `claude mcp add --transport http countersign ${origin}/mcp --header "Authorization: Bearer ${token}"` },
    { title: 'Configuration of other MCP clients', text: JSON.stringify({ mcpServers: { countersign: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } } } }, undefined, 2) },
  ],
  ioa: (origin, { token = '', accessKey }) => (accessKey === undefined ? tokenOfNode(origin, token) : newNode(origin, token, accessKey)),
  iap: (origin, { agentId, token = '', name, capabilities }) => [
    {
      title: 'With the SDK',
      hint: `${SAVE_AND_RUN} It answers every task with its input until you write what it does.`,
      text: [
        "import { IAPClient } from '../sdk/index.ts'",
        '',
        `const client = new IAPClient('${webSocket(origin)}/iap', { token: '${token}' })`,
        "client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => {",
        '  client.bid({ taskId, estimatedLatency: 1000, estimatedCost: 0, confidence: 0.5, queueDepth: 0 })',
        '})',
        "client.on('TASK_ASSIGNMENT', ({ payload }) => {",
        '  client.accept(payload)',
        '  const result = { echo: payload.proposal.input }',
        "  client.sendResult({ taskId: payload.taskId, assignmentId: payload.assignmentId, status: 'completed', result })",
        '})',
        'await client.connect({',
        `  agentId: '${calledAs(name, agentId)}',`,
        `  name: ${JSON.stringify(name)},`,
        '  capabilities: [',
        ...capabilities.map(({ id }) => `    { id: '${id}', type: 'x-${id}', name: '${id}', description: '' },`),
        '  ],',
        '})',
        CONNECTED,
      ].join('\n'),
    },
  ],
  mwp: (origin, { agentId, keyId = '' }) => [
    {
      title: 'With the SDK',
      hint: `${SAVE_AND_RUN} AGENT_SEED in its environment is the other half of the key. How to go on: docs/sdk.md there.`,
      text: ["import { AgentClient } from '../sdk/index.ts'", '', 'const client = await AgentClient.connect({', `  url: '${webSocket(origin)}/mwp',`, `  agentId: '${agentId}',`, `  keyId: '${keyId}',`, "  seed: Buffer.from(process.env.AGENT_SEED ?? '', 'base64url'),", '})', CONNECTED].join('\n'),
    },
  ],
}

/** An agent id of the Inter-Agent Protocol: people read it in Spaces and bids, and it is nobody else's. */
function calledAs(name: string, agentId: string): string {
  const words = name.normalize('NFKD').toLowerCase().match(/[a-z0-9]+/g) ?? ['agent']
  return `${words.join('-').slice(0, 40)}-${agentId.replace(/[^A-Za-z0-9]/g, '').slice(-6)}`
}

const SAVE_AND_RUN = 'Save it in a clone of this project as examples/my-agent.ts and run there: npx tsx examples/my-agent.ts.'
const CONNECTED = "console.log('Connected as', client.agentId)"

/** For a Node that may enter Spaces. The commands belong into one shell: the first one leaves the Space's id to the others. */
function newNode(origin: string, token: string, accessKey: string): readonly Snippet[] {
  const bearer = `Authorization: Bearer ${token}`
  const enter = curl(`${origin}/ioa/spaces`, [`X-Access-Key: ${accessKey}`, bearer], { name: 'lobby', description: 'Says hello.' })
  return [
    { title: 'Environment of an IOA client', text: `export IOA_URL=${withUser(origin, accessKey)}/ioa\nexport IOA_TOKEN=${token}` },
    { title: 'Enter a Space, with curl', text: `SPACE_ID=$(${enter} \\\n  | sed 's/^{"id":"\\([^"]*\\).*/\\1/'); echo "$SPACE_ID"` },
    { title: 'Say something there', hint: 'In the same shell.', text: curl(`"${origin}/ioa/spaces/$SPACE_ID/messages"`, [bearer], { content: { text: 'Hello' } }) },
    { title: 'Hear what is said there', hint: 'Likewise, until you stop it.', text: curl(`-N "${origin}/ioa/spaces/$SPACE_ID/sse"`, [bearer]) },
  ]
}

/** For a Node that was given its access key earlier. */
const tokenOfNode = (origin: string, token: string): readonly Snippet[] => [
  { title: 'Environment of an IOA client', hint: 'Its access key stays in IOA_URL; if it has none, make one on this page.', text: `export IOA_TOKEN=${token}` },
  { title: 'See the Spaces, with curl', text: curl(`${origin}/ioa/spaces`, [`Authorization: Bearer ${token}`]) },
]

/** Prints a key pair whose public half this form takes; the seed is for the Agent alone. */
export const MAKE_KEY =
  'node -e "const k = crypto.generateKeyPairSync(\'ed25519\').privateKey.export({ format: \'jwk\' }); console.log(\'public key\', k.x); console.log(\'AGENT_SEED\', k.d)"'

const webSocket = (origin: string): string => origin.replace(/^http/, 'ws')
const withUser = (origin: string, user: string): string => origin.replace('://', `://${user}@`)

/** A GET, or a POST of the body; the texts in it hold no quotes of the shell's. */
function curl(url: string, headers: readonly string[], body?: object): string {
  const json = body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`]
  return [`curl -sSf ${url}`, ...headers.map((header) => `-H '${header}'`), ...json].join(' \\\n  ')
}
