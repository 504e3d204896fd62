import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { instructions } from './instructions.ts'
import { listedTools } from './listed-tools.ts'
import { readMcpBody } from './received-body.ts'
import { TOOLS } from './tools/all.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the tools', () => {
  it('are named once, and every one that the instructions name is there', () => {
    const names = TOOLS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const named = instructions.match(/\b(ioa|mission|work|artifact|message)_[a-z]+\b|\bask_for_help\b/g) ?? []
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !names.includes(name))).toEqual([])
  })

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s refuses unknown arguments at every depth and describes each of its own', (_name, { input }) => {
    expect(undescribed(z.toJSONSchema(input, { io: 'input' }) as JsonSchema, '')).toEqual([])
  })

  it.each(listedTools.map((tool) => [tool.name, tool] as const))('%s names in its description only tools that exist', (_name, { description }) => {
    const named = (description ?? '').match(/\b(ioa|mission|work|artifact|message)_(space|send|read|list|offers|accept|decline|start|context|checkpoint|publish|submit|fail|post)\b/g) ?? []
    expect(named.filter((name) => !TOOLS.some((tool) => tool.name === name))).toEqual([])
  })
})

interface JsonSchema { readonly type?: string; readonly description?: string; readonly properties?: Record<string, JsonSchema>; readonly additionalProperties?: unknown; readonly items?: JsonSchema; readonly anyOf?: readonly JsonSchema[] }

/** Paths of arguments without a description and of objects that take anything without being a free JSON object. */
function undescribed(schema: JsonSchema, path: string): string[] {
  const isOpen = schema.type === 'object' && schema.properties !== undefined && schema.additionalProperties !== false
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [...(member.description === undefined ? [`${path}/${name}`] : []), ...undescribed(member, `${path}/${name}`)])
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])].flatMap((item) => undescribed(item, path))
  return [...(isOpen ? [`${path} is open`] : []), ...members, ...inner]
}

describe('a received body', () => {
  it('tells the requests in it, and whether one begins a session', () => {
    const body = (text: string) => {
      const read = readMcpBody(bytes(text), 1_000)
      return read.ok ? [read.value.requestIds, read.value.isInitialize] : read.error.reason
    }
    expect(body('{"jsonrpc":"2.0","id":"a","method":"initialize"}')).toEqual([['a'], true])
    expect(body('[{"id":1,"method":"ping"},{"method":"notifications/x"},{"id":2,"result":{}},null,3]')).toEqual([[1], false])
    expect(body('{"id":1,"id":2,"method":"ping"}')).toContain('repeats a member')
    expect(body(`"${'x'.repeat(1_000)}"`)).toContain('exceeds')
  })
})
