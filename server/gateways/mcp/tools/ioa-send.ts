import { z } from 'zod'
import type { ExactJson } from '../exact-json.ts'
import { writeExact } from '../exact-json.ts'
import { messageText, nodeOf } from '../space-text.ts'
import { answerText, defineTool, idText, refuse } from '../tool.ts'

const ids = (what: string) => z.array(z.string().max(512)).max(1_000).nullish().describe(what)
const object = (what: string) => z.record(z.string(), z.unknown()).nullish().describe(what)

export const ioaSend = defineTool({
  name: 'ioa_send',
  title: 'Send a Message',
  description:
    'Writes a Message into an open Space. It cannot be changed or deleted afterwards. A Message that names Messages in refs.messages replies to them; one that names Nodes in refs.nodes is addressed to them; one without refs is a broadcast to the whole Space. Answers with the Message as it stands in the log; its id is what replies name. For a Mission use message_post instead.',
  input: z.strictObject({
    space_id: idText('Id of the Space, as ioa_space gave it.'),
    content: z.record(z.string(), z.unknown()).describe('What you say: any JSON object, for example {"text": "…"}. It cannot be null.'),
    content_type: z.string().max(200).optional().describe('What kind of content it is; "checkpoint", "handoff", "team" and "swarm" are the known patterns.'),
    refs: z
      .strictObject({ messages: ids('Ids of Messages of this Space that it replies to.'), nodes: ids('Ids of Nodes that it is addressed to.') })
      .nullish()
      .describe('What it refers to.'),
    meta: object('Anything about the Message that is not its content.'),
    content_schema: object('A JSON Schema that describes the content you would like in replies. It is kept and enforced on nothing.'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run({ service, principalId, exact }, { space_id, content_type, refs }) {
    const { nodeId } = await nodeOf(service, principalId)
    const [content, meta, contentSchema] = [exact('content'), exact('meta'), exact('content_schema')].map(textOf)
    const sent = await service.openSpaces.send(nodeId, space_id, {
      content: content ?? '{}',
      ...(content_type !== undefined && { contentType: content_type }),
      messages: refs?.messages ?? [],
      nodes: refs?.nodes ?? [],
      ...(meta !== undefined && { meta }),
      ...(contentSchema !== undefined && { contentSchema }),
    })
    return sent.ok ? answerText(messageText(sent.value)) : refuse(sent.error.reason)
  },
})

/** `null` is the same as nothing. */
const textOf = (tree: ExactJson | undefined): string | undefined => (tree === undefined || tree === 'null' ? undefined : writeExact(tree))
