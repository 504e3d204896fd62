import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MAKE_KEY, snippetsFor } from './snippets.ts'

const origin = 'http://127.0.0.1:4310'
const credentials = { agentId: 'urn:uuid:one', token: 'a'.repeat(64), accessKey: 'b'.repeat(64), keyId: 'urn:uuid:key', name: 'Link "checker"', capabilities: [{ id: 'release.link-check' }] }
const textOf = (door: Parameters<typeof snippetsFor>[0], of = origin) => snippetsFor(door, of, credentials).map(({ text }) => text)

describe('a snippet', () => {
  it('for MCP is a command and a configuration with the token', () => {
    const [command, configuration] = textOf('mcp', 'https://missions.example.org')
    expect(command).toBe(`claude mcp add --transport http countersign https://missions.example.org/mcp --header "Authorization: Bearer ${credentials.token}"`)
    expect(JSON.parse(configuration!)).toEqual({ mcpServers: { countersign: { type: 'http', url: 'https://missions.example.org/mcp', headers: { Authorization: `Bearer ${credentials.token}` } } } })
  })

  it('for IOA carries the access key where its clients look for it', () => {
    const [environment, enter, say] = textOf('ioa')
    const url = new URL(/IOA_URL=(\S+)/.exec(environment!)![1]!)
    expect([url.username, url.host, url.pathname]).toEqual([credentials.accessKey, '127.0.0.1:4310', '/ioa'])
    expect(enter).toContain(`X-Access-Key: ${credentials.accessKey}`)
    expect(say).not.toContain(credentials.accessKey)
    const { accessKey: _, ...withoutKey } = credentials
    const [token, ...others] = snippetsFor('ioa', origin, withoutKey).map(({ text }) => text)
    expect(token).toBe(`export IOA_TOKEN=${credentials.token}`)
    expect(others.join()).not.toMatch(/X-Access-Key|SPACE_ID/)
  })

  it('for the WebSocket doors is as encrypted as the server', () => {
    expect(textOf('iap', 'https://missions.example.org')[0]).toContain("'wss://missions.example.org/iap'")
    expect(textOf('mwp')[0]).toContain("'ws://127.0.0.1:4310/mwp'")
  })

  it('for the Inter-Agent Protocol introduces the agent by its name and with what it can do', () => {
    const [program] = textOf('iap')
    expect(program).toContain(`new IAPClient('ws://127.0.0.1:4310/iap', { token: '${credentials.token}' })`)
    expect(program).toContain("agentId: 'link-checker-uidone',\n  name: \"Link \\\"checker\\\"\",")
    expect(program).toContain("{ id: 'release.link-check', type: 'x-release.link-check', name: 'release.link-check', description: '' },")
  })

  it('that makes a key prints a pair', () => {
    const [, script] = /^node -e "(.*)"$/s.exec(MAKE_KEY)!
    const [, x, d] = /^public key (\S{43})\nAGENT_SEED (\S{43})\n$/.exec(execFileSync(process.execPath, ['-e', script!], { encoding: 'utf8' }))!
    const made = createPublicKey(createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x!, d: d! }, format: 'jwk' })).export({ format: 'jwk' })
    expect(made.x).toBe(x)
  })
})
