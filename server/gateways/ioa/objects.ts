// Nodes and Spaces as the IOA reference writes them. Messages are never written here: their stored bytes are sent.
import type { NodeInfo, SpaceInfo, SpaceMember } from '../../service/open-spaces/types.ts'

export const nodeObject = ({ nodeId, name, description, meta, identities }: NodeInfo) => ({
  id: nodeId,
  name,
  ...(description !== '' && { description }),
  meta,
  ...(identities.length > 0 && { identities: identities.map(identityObject) }),
})

const identityObject = ({ namespace, subject, claims }: NodeInfo['identities'][number]) => ({
  namespace,
  subject,
  ...(claims !== undefined && Object.keys(claims).length > 0 && { claims }),
})

/** Members show what they declared in this Space, not what they say of themselves elsewhere. */
const memberObject = ({ node, description }: SpaceMember) => nodeObject({ ...node, description })

export const spaceObject = ({ spaceId, name, tags, members, messageCount }: SpaceInfo) => ({
  id: spaceId,
  name,
  ...(tags.length > 0 && { tags }),
  nodes: members.map(memberObject),
  message_count: messageCount,
})
