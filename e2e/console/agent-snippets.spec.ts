// What the page of Agents shows to copy works as it stands there: each snippet is run, by a shell or by Node, against the doors.
import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { addAgent, addKeyHolder, newToken } from '../fixtures/agents-page.ts'
import { enrol } from '../fixtures/console-steps.ts'
import { Installation, projectFolder } from '../fixtures/installation.ts'
import { McpWorker, type McpServer } from '../fixtures/mcp-worker.ts'

/** A folder beside `sdk`, as the snippets take for granted. */
const folder = join(projectFolder, 'test-results')

test('every snippet that is shown for a new agent connects it', async ({ page }) => {
  test.setTimeout(3 * 60_000)
  const installation = await Installation.start()
  try {
    await enrol(page, installation.ownerInvitation)
    await page.goto(`${installation.origin}/agents`)

    await test.step('MCP: the command and the configuration', async () => {
      const { snippets } = await addAgent(page, { door: 'MCP', name: 'Writer', capability: 'release.report@1.0.0' })
      const words = (await shell(`claude() { printf '%s\\n' "$@"; }\n${snippets.get('Claude Code')}`)).trim().split('\n')
      expect(words.slice(0, 5)).toEqual(['mcp', 'add', '--transport', 'http', 'countersign'])
      const [, url = '', , header = ''] = words.slice(4)
      const [name = '', value = ''] = header.split(': ')
      const { mcpServers } = JSON.parse(snippets.get('Configuration of other MCP clients')!) as { mcpServers: { countersign: McpServer } }
      for (const server of [{ url, headers: { [name]: value } }, mcpServers.countersign]) {
        const client = await McpWorker.connect(server)
        expect(await client.toolNames()).toContain('work_offers')
        await client.close()
      }
    })

    await test.step('IOA: the environment, entering a Space and saying something', async () => {
      const { snippets, token } = await addAgent(page, { door: 'IOA', name: 'Scribe', capability: 'release.notes@1.0.0' })
      const environment = (await shell(`${snippets.get('Environment of an IOA client')}\nprintf '%s\\n' "$IOA_URL" "$IOA_TOKEN"`)).trim().split('\n')
      expect(environment[1]).toBe(token)
      const { username, origin, pathname } = new URL(environment[0]!)
      const answer = await fetch(`${origin}${pathname}/spaces`, { method: 'POST', headers: { 'x-access-key': username, authorization: `Bearer ${token}` }, body: JSON.stringify({ name: 'from the environment', description: 'Listens.' }) })
      expect(answer.status).toBe(200)
      const [spaceId = '', said = ''] = (await shell(['Enter a Space, with curl', 'Say something there'].map((title) => snippets.get(title)).join('\n'))).split('\n')
      expect(JSON.parse(said)).toMatchObject({ space_id: spaceId, content: { text: 'Hello' } })
      const heard = await shell(`SPACE_ID=${spaceId}\n${snippets.get('Hear what is said there')} | head -n 1`)
      expect(heard).not.toBe('')
    })

    await test.step('the Inter-Agent Protocol: a program of the SDK', async () => {
      const { snippets } = await addAgent(page, { door: 'Inter-Agent Protocol', name: 'Link "checker"', capability: 'release.link-check@1.0.0' })
      const found = await program('iap', `${snippets.get('With the SDK')}\nconsole.log(client.flowState, JSON.stringify(await client.discover({ type: 'x-release.link-check', includeSelf: true })))\nawait client.close()`)
      expect(found).toMatch(/^Connected as link-checker-\w{6}\nconnected /)
      const asker = await addAgent(page, { door: 'Inter-Agent Protocol', name: 'Asker', capability: 'example.asking@1.0.0' })
      const asking = [
        `const asker = new IAPClient(client.url, { token: '${asker.token}' })`,
        "await asker.connect({ agentId: 'asker', name: 'Asker', capabilities: [] })",
        "const { result } = await asker.propose({ description: 'Say it again', requiredCapability: 'release.link-check', input: { word: 'quay' }, maxLatency: 5000, maxCost: 1 })",
        'console.log(JSON.stringify(result))',
        'await asker.close()',
        'await client.close()',
      ]
      const done = await program('iap-task', [snippets.get('With the SDK'), ...asking].join('\n'))
      expect(done).toContain('{"echo":{"word":"quay"}}')
    })

    await test.step('MissionWeaveProtocol: a program of the SDK with the key that the page’s command made', async () => {
      const { snippets, seed, agentId } = await addKeyHolder(page, { name: 'Coordinator', capability: 'countersign.coordination@1.0.0' })
      const said = await program('mwp', `${snippets.get('With the SDK')}\nconsole.log((await client.agents()).map(({ agentId }) => agentId).join(' '))\nawait client.close()`, { AGENT_SEED: seed.toString('base64url') })
      expect(said).toContain(agentId)
    })

    await test.step('a further token: for the doors that were chosen, until it is revoked', async () => {
      const { snippets, token } = await newToken(page, 'Coordinator', ['IOA', 'Inter-Agent Protocol'])
      expect([...snippets.keys()]).toEqual(['Environment of an IOA client', 'See the Spaces, with curl', 'With the SDK', 'the token'])
      expect(JSON.parse(await shell(snippets.get('See the Spaces, with curl')!))).toContainEqual(expect.objectContaining({ name: 'lobby' }))
      expect(await program('iap-again', `${snippets.get('With the SDK')}\nconsole.log(client.flowState)\nawait client.close()`)).toMatch(/\nconnected\n$/)
      const isLetIn = async () => (await fetch(`${installation.origin}/ioa/spaces`, { headers: { authorization: `Bearer ${token}` } })).status
      expect(await isLetIn()).toBe(200)
      await page.getByRole('button', { name: 'Revoke the token Tests of Coordinator', exact: true }).click()
      await expect(page.getByText('Coordinator cannot come in by IOA, Inter-Agent Protocol until it has another.', { exact: false })).toBeVisible()
      await page.getByRole('button', { name: 'Revoke the token Tests of Coordinator now' }).click()
      await expect(page.getByText('1 token that is over')).toBeVisible()
      expect(await isLetIn()).toBe(401)
    })
  } catch (error) {
    console.log(installation.output.slice(-4_000))
    throw error
  } finally {
    await installation.stop()
  }
})

const shell = (script: string): Promise<string> => run('bash', ['-ec', script])

/** Runs a TypeScript file with this text. */
async function program(name: string, text: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const file = join(folder, `snippet-${name}.ts`)
  await mkdir(folder, { recursive: true })
  await writeFile(file, text)
  try {
    return await run(process.execPath, ['--import', 'tsx', file], { env: { ...process.env, ...env } })
  } finally {
    await rm(file)
  }
}

async function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(command, args, { cwd: projectFolder, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, faults]: Buffer[][] = [[], []]
  child.stdout?.on('data', (chunk: Buffer) => out!.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => faults!.push(chunk))
  const [code] = (await once(child, 'close')) as [number]
  expect(code, `${args.join(' ')}\n${Buffer.concat(faults!).toString()}${Buffer.concat(out!).toString()}`).toBe(0)
  return Buffer.concat(out!).toString()
}
