// Spaces: entering by name, listing, and showing one.
import { Buffer } from 'node:buffer'
import { ok } from '../../../protocol/result.ts'
import { sendJson } from '../../http-messages.ts'
import type { SpaceInfo } from '../../service/open-spaces/types.ts'
import type { Callers } from './callers.ts'
import { endedFor } from './callers.ts'
import type { Exchange, IoaService, OpenExchange, Route } from './exchange.ts'
import { authenticated, bodyOf, open } from './exchange.ts'
import type { Lists } from './json-list.ts'
import type { IoaLimits } from './limits.ts'
import { spaceObject } from './objects.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refusalOf } from './refusal.ts'
import type { MissionSpaces } from './mission-space.ts'
import type { FindSpace, Space } from './space.ts'

interface Needs {
  readonly service: IoaService
  readonly limits: IoaLimits
  readonly lists: Lists
  readonly callers: Callers
  readonly findSpace: FindSpace
  readonly missions: MissionSpaces
}

const entryFields = { name: 'string', description: 'string', tags: 'strings' } as const

export function spaceRoutes({ service, limits, lists, callers, findSpace, missions }: Needs): readonly Route[] {
  async function enter(exchange: OpenExchange): Promise<Refusal | void> {
    const identify = () => callers.byAccessKey(exchange.request, exchange.address)
    const caller = await identify()
    if (!caller.ok) return caller.error
    const body = await bodyOf({ ...exchange, ended: endedFor(identify) }, entryFields, limits)
    if (!body.ok) return body.error
    const { name = '', description = '', tags } = body.value.values
    const entered = await service.openSpaces.enter(caller.value.nodeId, { name, description, ...(tags && { tags }) })
    if (!entered.ok) return refusalOf(entered.error)
    sendJson(exchange.response, 200, spaceObject(entered.value))
  }

  async function show({ response, caller, parameters }: Exchange): Promise<Refusal | void> {
    const info = await (await findSpace(caller, parameters[0]!)).info()
    if (info === undefined) return refusal(404, 'there is no such Space')
    sendJson(response, 200, spaceObject(info))
  }

  function list(exchange: Exchange): Promise<Refusal | void> {
    return lists.answer(exchange, async () => ok(spacePages(service, await missions.list(exchange.caller), limits.pageSize)))
  }

  return [
    open('POST /spaces', enter),
    authenticated('GET /spaces', list),
    authenticated('GET /spaces/:', show),
  ]
}

/** Open Spaces by name, which is unique, with the caller's mission Spaces among them, each of which is looked up in its turn. */
async function* spacePages({ openSpaces }: IoaService, missions: readonly Space[], pageSize: number) {
  const left = missions.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1))
  async function* missionsBefore(name: string | undefined) {
    while (left.length > 0 && (name === undefined || left[0]!.spaceId < name)) {
      const info = await left.shift()!.info()
      if (info !== undefined) yield encodedSpace(info)
    }
  }
  let after: string | undefined
  for (;;) {
    const page: readonly SpaceInfo[] = await openSpaces.listInfos({ ...(after !== undefined && { after }), limit: pageSize })
    let run: Uint8Array[] = []
    for (const info of page) {
      for await (const mission of missionsBefore(info.name)) {
        yield [...run, mission]
        run = []
      }
      run.push(encodedSpace(info))
    }
    yield run
    // A short page may have been cut by what its members show.
    after = page.at(-1)?.name
    if (after !== undefined) continue
    for await (const mission of missionsBefore(undefined)) yield [mission]
    return
  }
}

const encodedSpace = (info: SpaceInfo): Uint8Array => Buffer.from(JSON.stringify(spaceObject(info)))
