// The tools as `tools/list` shows them.
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { Tool } from './tool.ts'
import { TOOLS } from './tools/all.ts'

export const listedTools: readonly ListedTool[] = TOOLS.map(listed)

function listed({ name, title, description, input, output, annotations }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input),
    ...(output && { outputSchema: schemaOf(output) }),
    annotations: { title, ...annotations },
  }
}

function schemaOf(schema: z.ZodObject): ListedTool['inputSchema'] {
  return z.toJSONSchema(schema, { io: 'input' }) as ListedTool['inputSchema']
}
