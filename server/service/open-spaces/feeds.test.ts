import { expect, it } from 'vitest'
import type { PlacedEntry } from '../ports.ts'
import { NodeFeeds } from './feeds.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

it('a Node hears of what grows in the very moment in which a look that found nothing ends (IOA: streams lose nothing)', async () => {
  const entries: PlacedEntry[] = []
  const say = () => void entries.push({ spaceId: 's', sequence: entries.length + 1, position: entries.length + 1, eventId: `e${entries.length + 1}`, kind: 'open.message', bytes: new Uint8Array() })
  let onLooked = () => {}
  const feeds = new NodeFeeds(
    {
      lastPosition: async () => entries.length,
      page: async (_list, { after, limit }) => entries.slice(after!.position, after!.position + limit),
      async concernedAfter(position) {
        const found = { position: entries.length, nodeIds: entries.length > position ? ['ada'] : [] }
        onLooked()
        return found
      },
    },
    (fault) => {
      throw fault
    },
  )
  const feed = (await feeds.open('ada'))!
  for (let late = 0; late < 12; late++) {
    let isHeard = false
    const heard = feed.next(1).then(() => (isHeard = true))
    await nextTurn()
    onLooked = () => {
      onLooked = () => {}
      let moment = Promise.resolve()
      for (let count = 0; count < late; count++) moment = moment.then(() => undefined)
      void moment.then(() => {
        say()
        feeds.grown()
      })
    }
    // Of something that is none of this Node's business.
    feeds.grown()
    for (let count = 0; count < 10; count++) await nextTurn()
    expect(isHeard, `${late} moments later`).toBe(true)
    await heard
  }
  feed.close()
})
