/** What IOA clients may cost. Sizes in bytes, times in milliseconds. */
export interface IoaLimits {
  /** Longest request body; a longer one is 413. */
  readonly maxBodyBytes: number
  /** How long a body may take to arrive. */
  readonly bodyDeadlineMs: number
  /** Requests a second that an address, and a Node, may send for long, and how many at once; more are 429. */
  readonly addressPerSecond: number
  readonly addressBurst: number
  readonly nodePerSecond: number
  readonly nodeBurst: number
  /** Largest `limit` of a read; a larger one is 422. */
  readonly maxLimit: number
  /** What a list reads at a time, however long it is: so many, and no more after the one that brings a page to so many bytes. */
  readonly pageSize: number
  readonly pageBytes: number
  /** Lists that one Node may have open; a further one is 429. */
  readonly maxListsPerNode: number
  /** Open event streams of one Node, and of all; a further one is 429. */
  readonly maxStreamsPerNode: number
  readonly maxStreams: number
  /** Time between two comments on a stream. */
  readonly heartbeatMs: number
  /** How long a reader may take nothing before its list is cut off, or its stream ends, which resumes where it was. */
  readonly stalledAfterMs: number
  /** Messages that a stream takes from its feed at a time. */
  readonly feedBatch: number
  /** Ids that all streams about single Messages together remember; none is opened above it. */
  readonly maxRelatedIds: number
}

export const DEFAULT_IOA_LIMITS: IoaLimits = {
  maxBodyBytes: 256 * 1024,
  bodyDeadlineMs: 30_000,
  addressPerSecond: 20_000,
  addressBurst: 40_000,
  nodePerSecond: 2_000,
  nodeBurst: 5_000,
  maxLimit: 10_000,
  pageSize: 200,
  pageBytes: 4 * 1024 * 1024,
  maxListsPerNode: 32,
  maxStreamsPerNode: 1_024,
  maxStreams: 8_192,
  heartbeatMs: 15_000,
  stalledAfterMs: 60_000,
  feedBatch: 32,
  maxRelatedIds: 1_000_000,
}
