import type { RawData, WebSocket } from 'ws'
import type { Frame } from '../protocol/generated/types.ts'
import type { JsonValue } from '../protocol/strict-json.ts'
import { isJsonObject, parseStrictJson } from '../protocol/strict-json.ts'
import { validateDocument } from '../protocol/validate.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'
import { newId } from './ids.ts'

/** An EVENT frame is as long as the Event it carries; the authority bounds Commands, not what they grow into. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024

type WithoutEnvelope<F> = F extends unknown ? Omit<F, 'protocolVersion' | 'frameId'> : never
/** A frame without the members that every frame has. */
export type FrameBody = WithoutEnvelope<Frame>

/** Sends one frame. Does nothing on a socket that is no longer open: its end is reported elsewhere. */
export function sendFrame(socket: WebSocket, body: FrameBody, frameId = newId()): void {
  if (socket.readyState === socket.OPEN) {
    socket.send(JSON.stringify({ protocolVersion: PROTOCOL_VERSION, frameId, ...body }))
  }
}

/** Sends a COMMAND around the bytes of a signed Command, as they are. */
export function sendCommand(socket: WebSocket, command: Uint8Array): void {
  if (socket.readyState !== socket.OPEN) return
  const head = Buffer.from('{"command":')
  const tail = Buffer.from(`,"frameId":"${newId()}","frameType":"COMMAND","protocolVersion":"${PROTOCOL_VERSION}"}`)
  socket.send(Buffer.concat([head, command, tail]), { binary: false })
}

/** The frame in a received message, or undefined when it does not fit the protocol. */
export function readFrame(data: RawData, isBinary: boolean): Frame | undefined {
  if (isBinary) return undefined
  const parsed = parseStrictJson(data as Buffer, { maxBytes: MAX_FRAME_BYTES })
  if (!parsed.ok || !fits(parsed.value.schemaView)) return undefined
  return parsed.value.value as unknown as Frame
}

/** An EVENT, which is what streams in by the thousand, is checked against its own shape instead of all ten. */
function fits(value: JsonValue): boolean {
  if (!isJsonObject(value) || value.frameType !== 'EVENT') return validateDocument('websocket-frame', value) === undefined
  return value.protocolVersion === PROTOCOL_VERSION && validateDocument('event', value.event) === undefined
}
