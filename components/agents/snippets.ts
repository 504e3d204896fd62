// What a new Agent's operator copies to connect it: complete, for one door each.
import type { AgentDoor } from './doors.ts'

export interface Snippet {
  /** Where it goes. */
  readonly title: string
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
  ioa: (origin, { token = '', accessKey }) => [
    { title: 'Environment of an IOA client', text: `${accessKey === undefined ? '' : `export IOA_URL=${withUser(origin, accessKey)}/ioa\n`}export IOA_TOKEN=${token}` },
    { title: 'Enter a Space, with curl', text: curl(`${origin}/ioa/spaces`, [...(accessKey === undefined ? ['X-Access-Key: ACCESS_KEY'] : [`X-Access-Key: ${accessKey}`]), `Authorization: Bearer ${token}`], { name: 'lobby', description: 'Says hello.' }) },
    { title: 'Say something there', text: curl(`${origin}/ioa/spaces/SPACE_ID/messages`, [`Authorization: Bearer ${token}`], { content: { text: 'Hello' } }) },
  ],
  iap: (origin, { agentId, token = '', name, capabilities }) => [
    {
      title: 'With the SDK',
      text: [
        "import { IAPClient } from '../sdk/index.ts'",
        '',
        `const client = new IAPClient('${webSocket(origin)}/iap', { token: '${token}' })`,
        'await client.connect({',
        `  agentId: '${agentId}',`,
        `  name: ${JSON.stringify(name)},`,
        '  capabilities: [',
        ...capabilities.map(({ id }) => `    { id: '${id}', type: 'x-${id}', name: '${id}', description: '' },`),
        '  ],',
        '})',
      ].join('\n'),
    },
  ],
  mwp: (origin, { agentId, keyId = '' }) => [
    {
      title: 'With the SDK',
      text: ["import { AgentClient } from '../sdk/index.ts'", '', 'const client = await AgentClient.connect({', `  url: '${webSocket(origin)}/mwp',`, `  agentId: '${agentId}',`, `  keyId: '${keyId}',`, "  seed: Buffer.from(process.env.AGENT_SEED, 'base64url'),", '})'].join('\n'),
    },
  ],
}

/** Prints a key pair whose public half this form takes; the seed is for the Agent alone. */
export const MAKE_KEY =
  'node -e "const k = crypto.generateKeyPairSync(\'ed25519\').privateKey.export({ format: \'jwk\' }); console.log(\'public key\', k.x); console.log(\'AGENT_SEED\', k.d)"'

const webSocket = (origin: string): string => origin.replace(/^http/, 'ws')
const withUser = (origin: string, user: string): string => origin.replace('://', `://${user}@`)

/** A POST; the texts in it hold no quotes of the shell's. */
function curl(url: string, headers: readonly string[], body: object): string {
  const lines = [`curl ${url}`, ...headers.map((header) => `-H '${header}'`), `-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`]
  return lines.join(' \\\n  ')
}
