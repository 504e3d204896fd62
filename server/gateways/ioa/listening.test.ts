import { describe, expect, it } from 'vitest'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import { Branch } from './listening.ts'
import type { Space } from './space.ts'

/** `A`, `BA`, `DBC`: the first letter is the Message, the others are its parents. */
function branchOf(lines: readonly string[], head: string, depth: number, toldAfter = 0) {
  const firstParent = new Map(lines.map((line) => [line[0]!, line[1]]))
  let asked = 0
  const isWithin = async (from: string, ancestor: string, steps: number) => {
    asked++
    let at: string | undefined = from
    for (let step = 0; step < steps && at !== undefined; step++) if ((at = firstParent.get(at)) === ancestor) return true
    return false
  }
  const branch = new Branch({ spaceId: 's', isWithin } as Pick<Space, 'spaceId' | 'isWithin'> as Space, { head, depth, toldAfter })
  const passing = (line: string) => ({ position: lines.indexOf(line) + 1, message: { messageId: line[0]!, messages: [...line.slice(1)] } as unknown as SpaceMessage })
  return { asked: () => asked, branch, choose: (line: string) => branch.choose(passing(line)) }
}
async function told(lines: readonly string[], { head = 'C', depth = 1, from = 3 }) {
  const { choose } = branchOf(lines, head, depth)
  const events = []
  for (const line of lines.slice(from)) events.push(await choose(line))
  return events
}
const chain = ['A', 'BA', 'CB']

describe('a branch', () => {
  it('IOA 3.1: a child of the head is told and becomes the head; then a child of A is not told', async () => {
    expect(await told([...chain, 'DC', 'EA', 'FD'], {})).toEqual(['message', undefined, 'message'])
  })
  it('IOA 3.2: a child of the parent of the head is told as a fork', async () => {
    expect(await told([...chain, 'DB'], {})).toEqual(['fork'])
  })
  it('IOA 3.3: with depth 2 a child of B is a fork of D, a child of A is not told', async () => {
    expect(await told([...chain, 'DC', 'EB', 'FA'], { head: 'D', depth: 2, from: 4 })).toEqual(['fork', undefined])
  })
  it('IOA 3.4: a Message without refs is never told', async () => {
    expect(await told([...chain, 'D'], {})).toEqual([undefined])
  })
  it('IOA 3.5: one of several parents being the head is an extension, and the head moves', async () => {
    for (const extension of ['DBC', 'DCB']) expect(await told(['A', 'BA', 'CA', extension, 'ED', 'FB'], { head: 'B' })).toEqual(['message', 'message', undefined])
  })

  it('asks the store for no ancestors that passed by', async () => {
    const lines = [...chain, 'DC', 'ED', 'FD', 'GC', 'HA']
    const { asked, choose } = branchOf(lines, 'C', 2)
    const events = []
    for (const line of lines.slice(3)) events.push(await choose(line))
    expect([events, asked()]).toEqual([['message', 'message', 'fork', 'fork', undefined], 0])
  })

  it('moves its head over what is not told again, and says so in its cursor', async () => {
    const lines = [...chain, 'DC', 'ED']
    const { branch, choose } = branchOf(lines, 'C', 1, 4)
    expect([await choose('DC'), await choose('ED'), branch.cursorAt(5)]).toEqual([undefined, 'message', { kind: 'branch', id: 's', position: 5, head: 'E' }])
  })
})
