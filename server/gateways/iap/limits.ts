/** What one connection of the I.A.P. door may cost. Sizes in bytes, times in milliseconds. */
export interface IapDoorLimits {
  /** Longest frame, which context and batches need; a longer one closes the connection with 1009. */
  readonly maxFrameBytes: number
  /** Longest frame before the HANDSHAKE. */
  readonly maxGreetingBytes: number
  readonly maxFragments: number
  /** Time from the upgrade to HANDSHAKE_ACK. */
  readonly handshakeDeadlineMs: number
  readonly maxConnectionsPerPrincipal: number
  /** Messages a second for long, and at once. Each message of a batch counts. */
  readonly messagesPerSecond: number
  readonly messageBurst: number
  /** Frames that are not dealt with yet before the connection is not read any more. */
  readonly maxFramesInHand: number
  /** Bytes on their way out before the rest waits in the store, and before the peer is taken for one that never reads. */
  readonly maxBufferedBytes: number
  readonly hardBufferedBytes: number
  readonly closeTimeoutMs: number
}

export const DEFAULT_IAP_DOOR_LIMITS: IapDoorLimits = {
  maxFrameBytes: 1_600_000,
  maxGreetingBytes: 512 * 1024,
  maxFragments: 64,
  handshakeDeadlineMs: 10_000,
  maxConnectionsPerPrincipal: 4,
  messagesPerSecond: 500,
  messageBurst: 2_000,
  maxFramesInHand: 32,
  maxBufferedBytes: 1024 * 1024,
  hardBufferedBytes: 16 * 1024 * 1024,
  closeTimeoutMs: 5_000,
}
