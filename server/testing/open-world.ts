// Open Spaces for tests: Nodes by name, Spaces by name, Messages by their text.
import { invariant } from '../../protocol/result.ts'
import type { Result } from '../../protocol/result.ts'
import type { MessageDraft, NodeInfo, OpenSpaces, SpaceInfo, SpaceMessage, SpaceRefusal } from '../service/open-spaces/types.ts'

type Parts = Partial<MessageDraft>

/** The value, where a refusal would be a fault of the test. */
export function granted<T>(result: Result<T, SpaceRefusal>): T {
  invariant(result.ok, `refused: ${result.ok ? '' : `${result.error.category}, ${result.error.reason}`}`)
  return result.value
}

/** Category of the refusal. */
export const categoryOf = (result: Result<unknown, SpaceRefusal>) => (result.ok ? 'granted' : result.error.category)

/** What a Message says in `content.text`. */
export const textOf = ({ bytes }: Pick<SpaceMessage, 'bytes'>): unknown => (JSON.parse(new TextDecoder().decode(bytes)) as { content: { text?: unknown } }).content.text

export class OpenWorld {
  constructor(readonly open: OpenSpaces) {}

  async node(name: string): Promise<NodeInfo> {
    return granted(await this.open.nodes.register({ name, accessKeyId: 'key-1' })).node
  }

  async space(name: string, ...members: readonly NodeInfo[]): Promise<SpaceInfo> {
    let space: SpaceInfo | undefined
    for (const { nodeId, name: own } of members) space = granted(await this.open.enter(nodeId, { name, description: `${own} was here` }))
    invariant(space, 'somebody enters the Space')
    return space
  }

  async say(sender: NodeInfo, space: Pick<SpaceInfo, 'spaceId'>, text: string, { messages = [], nodes = [], ...others }: Parts = {}): Promise<SpaceMessage> {
    return granted(await this.open.send(sender.nodeId, space.spaceId, { content: JSON.stringify({ text }), messages, nodes, ...others }))
  }
}
