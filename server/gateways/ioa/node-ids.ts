// Node ids of Principals, which never change once they are there.
import { RecentMap } from '../../recent-map.ts'
import type { IoaService } from './exchange.ts'

const remembered = 10_000

export class NodeIds {
  readonly #nodes: IoaService['openSpaces']['nodes']
  readonly #known = new RecentMap<string, string>(remembered)

  constructor({ openSpaces }: Pick<IoaService, 'openSpaces'>) {
    this.#nodes = openSpaces.nodes
  }

  /** Undefined for an unknown Principal. */
  async of(principalId: string): Promise<string | undefined> {
    const known = this.#known.get(principalId)
    if (known !== undefined) return known
    const node = await this.#nodes.ofPrincipal(principalId)
    if (node === undefined) return undefined
    this.#known.set(principalId, node.nodeId)
    return node.nodeId
  }
}
