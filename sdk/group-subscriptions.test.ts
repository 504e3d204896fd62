import { expect, test } from 'vitest'
import { reject } from '../protocol/error-codes.ts'
import type { EventDocument, ProtocolError } from '../protocol/generated/types.ts'
import { MemoryCursorStore } from './cursor-store.ts'
import { deferred } from './deferred.ts'
import { GroupSubscriptions } from './group-subscriptions.ts'
import type { MwpConnection } from './mwp-connection.ts'
import type { RestoredGroup } from './restore-group.ts'

const groupId = 'urn:test:group'
const restored = { snapshot: { groupId, throughSequence: 7 } } as unknown as RestoredGroup

/** A connection that keeps what is sent over it. */
function connectionOf(): { readonly connection: MwpConnection; readonly sent: { frameType: string; frameId: string; after: number | undefined }[] } {
  const sent: { frameType: string; frameId: string; after: number | undefined }[] = []
  const send: MwpConnection['send'] = (body, frameId = '') => {
    const after = body.frameType === 'SUBSCRIBE' ? body.groups[0]?.afterSequence : undefined
    sent.push({ frameType: body.frameType, frameId, after })
  }
  return { connection: { send } as unknown as MwpConnection, sent }
}

test('A-235: a connection that breaks while a snapshot is fetched brings no second one', async () => {
  const snapshot = deferred<RestoredGroup>()
  const asked: string[] = []
  const taken: RestoredGroup[] = []
  const subscriptions = new GroupSubscriptions({
    cursors: new MemoryCursorStore(),
    visibilityStart: async () => 0,
    restore: (_groupId, hash) => (asked.push(hash), snapshot.promise),
  })
  const [first, second] = [connectionOf(), connectionOf()]
  const tooOld = (frameId: string): ProtocolError => ({ ...reject('CURSOR_TOO_OLD', 'in the snapshot', { snapshotArtifactHash: 'hash' }), relatedFrameId: frameId, retryable: false, occurredAt: '' }) as unknown as ProtocolError
  subscriptions.onOpened(first.connection)
  const events = subscriptions.follow(groupId, { onSnapshot: (one) => void taken.push(one) })
  const next = events.next()
  await expect.poll(() => first.sent).toHaveLength(1)
  subscriptions.onError(tooOld(first.sent[0]!.frameId))
  subscriptions.onOpened(second.connection)
  for (const { frameId } of second.sent) subscriptions.onError(tooOld(frameId))
  snapshot.resolve(restored)
  await expect.poll(() => second.sent.filter(({ after }) => after === 7)).toHaveLength(1)
  expect([asked, taken]).toEqual([['hash'], [restored]])
  subscriptions.onEvent({ groupId, sequence: 8 } as EventDocument)
  expect((await next).value).toMatchObject({ sequence: 8 })
  await events.return()
})
