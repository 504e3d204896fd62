// What a tool of the MCP door is: one strict input, one answer, and refusals that a language model can act on.
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { Rejection } from '../../../protocol/error-codes.ts'
import type { AuthorityService } from '../../service/service.ts'
import type { UploadQuota } from '../../service/upload-quota.ts'
import type { ExactJson } from './exact-json.ts'

/** What the door asks of the service. */
export type McpService = Pick<AuthorityService, 'artifacts' | 'clock' | 'doors' | 'feeds' | 'identities' | 'openSpaces' | 'organization' | 'reads' | 'readModels' | 'sessions'>

/** Who calls a tool, and with what. */
export interface ToolCall {
  readonly service: McpService
  readonly principalId: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** An argument as it was written, so that no number loses a digit. */
  exact(argument: string): ExactJson | undefined
  /** What this Principal may still store through this door. */
  readonly uploads: UploadQuota
  /** Says that the caller has entered a Space, so that the list of its resources has changed. */
  resourcesChanged(): void
}

export interface Tool {
  readonly name: string
  readonly title: string
  /** For a language model: what it does, when to use it, what to do next. */
  readonly description: string
  readonly input: z.ZodObject
  readonly output?: z.ZodObject
  readonly annotations: ToolAnnotations
  /** Checks the arguments first; whatever is wrong with them is said in a result with `isError`. */
  run(call: ToolCall, args: unknown): Promise<CallToolResult>
}

interface ToolDefinition<Input extends z.ZodObject> extends Omit<Tool, 'run' | 'input'> {
  readonly input: Input
  run(call: ToolCall, args: z.infer<Input>): Promise<CallToolResult>
}

export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, input, run } = definition
  return {
    ...definition,
    async run(call, args) {
      const parsed = input.safeParse(args)
      return parsed.success ? run(call, parsed.data) : refuse(`Invalid arguments of ${name}: ${faultsOf(parsed.error, input)}`)
    },
  }
}

/** Every fault with the place where it is, and for an unknown argument those that there are. */
function faultsOf({ issues }: z.ZodError, input: z.ZodObject): string {
  return issues
    .map((issue) => {
      const at = issue.path.join('.')
      if (issue.code === 'unrecognized_keys') {
        const known = at === '' ? `; known are ${Object.keys(input.shape).join(', ')}` : ''
        return `${at === '' ? '' : `${at} has an `}unknown argument ${issue.keys.map((key) => `"${key}"`).join(', ')}${known}`
      }
      return `${at === '' ? 'the arguments' : at}: ${issue.message}`
    })
    .join('; ')
}

/** One text item of indented JSON, and the same as structured content. */
export function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value, null, 2) }], structuredContent: value }
}

/** One text item as it is. */
export const answerText = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** A failure that the caller may mend. */
export const refuse = (reason: string): CallToolResult => ({ content: [{ type: 'text', text: reason }], isError: true })

/** The words of a refusal. */
export const textOf = ({ content }: CallToolResult): string => content.map((item) => (item.type === 'text' ? item.text : '')).join(' ')

/** A refusal of the authority, with its code and when to come back. */
export function refuseCommand({ code, message, retryAfterMs }: Rejection): CallToolResult {
  const later = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  return refuse(`${code}: ${message}.${later}`)
}

/** An identifier as the caller got it from another tool. */
export const idText = (what: string) => z.string().min(1).max(512).refine(isPrintable, 'must not hold control characters').describe(what)

/** No id holds one, and no database keeps them all. */
export const isPrintable = (text: string): boolean => !/\p{Cc}/u.test(text)
