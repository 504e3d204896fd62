/** What one MissionWeaveProtocol connection, and all of them together, may cost. Sizes in bytes, times in milliseconds. */
export interface MwpLimits {
  /** Longest message; a longer one closes the connection with 1009. */
  readonly maxFrameBytes: number
  /** Fragments of one message; more close the connection with 1008. */
  readonly maxFragments: number
  /** Time from the upgrade to `server_accept`. */
  readonly helloDeadlineMs: number
  /** Frames, and bytes of any kind, that a peer may send before it is authenticated. */
  readonly maxHelloFrames: number
  readonly maxHelloBytes: number
  readonly maxUnauthenticatedPerAddress: number
  readonly maxUnauthenticated: number
  /** Frames a second that a connection may send for long, and how many at once. A frame counts once per Group it names. */
  readonly framesPerSecond: number
  readonly frameBurst: number
  /** COMMANDs whose answer has not yet left; a further one is refused with BACKPRESSURE. */
  readonly maxCommandsInFlight: number
  readonly maxGroups: number
  /** Acknowledged Groups whose position is not stored yet; a further one is refused with BACKPRESSURE. */
  readonly maxAcknowledgements: number
  /** Entries that a subscription takes from its feed at a time. */
  readonly feedBatch: number
  /** Bytes of one Group on their way out before its feed pauses, so that no Group fills the whole buffer. */
  readonly groupWindowBytes: number
  /** Bytes of the connection on their way out before every feed pauses. */
  readonly maxBufferedBytes: number
  /** Bytes that only a peer which sends and never reads can cause; the connection ends. */
  readonly hardBufferedBytes: number
  /** How long a feed may stay paused before the peer is told with BACKPRESSURE. */
  readonly backpressureAfterMs: number
  /** A peer that let one whole interval pass without a pong or a frame is gone. */
  readonly pingIntervalMs: number
  /** How long a closing handshake may take. */
  readonly closeTimeoutMs: number
}

export const DEFAULT_MWP_LIMITS: MwpLimits = {
  maxFrameBytes: 256 * 1024,
  maxFragments: 32,
  helloDeadlineMs: 10_000,
  maxHelloFrames: 16,
  maxHelloBytes: 32 * 1024,
  maxUnauthenticatedPerAddress: 128,
  maxUnauthenticated: 1_024,
  framesPerSecond: 5_000,
  frameBurst: 10_000,
  maxCommandsInFlight: 64,
  maxGroups: 1_024,
  maxAcknowledgements: 1_024,
  feedBatch: 32,
  groupWindowBytes: 256 * 1024,
  maxBufferedBytes: 1024 * 1024,
  hardBufferedBytes: 32 * 1024 * 1024,
  backpressureAfterMs: 1_000,
  pingIntervalMs: 20_000,
  closeTimeoutMs: 5_000,
}
