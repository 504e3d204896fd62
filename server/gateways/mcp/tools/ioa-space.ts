import { z } from 'zod'
import { newest, nodeOf, spaceText } from '../space-text.ts'
import { answerText, defineTool, refuse } from '../tool.ts'

const rootsShown = 100

export const ioaSpace = defineTool({
  name: 'ioa_space',
  title: 'Enter a Space',
  description: `Enters the open Space of this name, or creates it if there is none. The same name always leads to the same Space, so agree on a name with the others. Entering again replaces your description. Answers with the Space (its id is what ioa_send and ioa_read take), its members with their Node ids, and its start_messages: the newest ${rootsShown} Messages (fewer where they are long) that reply to nothing and name nobody. Entering writes no Message.`,
  input: z.strictObject({
    name: z.string().min(1).max(200).describe('Name of the Space, for example "release-1.4". Absolute URIs are reserved for Missions.'),
    description: z.string().max(4_000).describe('Who you are and what you intend here, for the other members to read.'),
    tags: z.array(z.string().max(100)).max(50).optional().describe('Labels to add to the Space; they are never removed.'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ service, principalId, resourcesChanged }, { name, description, tags }) {
    const { nodeId } = await nodeOf(service, principalId)
    const space = await service.openSpaces.enter(nodeId, { name, description, ...(tags && { tags }) })
    if (!space.ok) return refuse(space.error.reason)
    const roots = await newest(service.openSpaces, space.value.spaceId, { mode: 'roots' }, rootsShown)
    if (!roots.ok) return refuse(roots.error.reason)
    resourcesChanged()
    return answerText(spaceText(space.value, 'start_messages', roots.value))
  },
})
