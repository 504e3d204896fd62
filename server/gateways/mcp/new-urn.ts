import { randomUUID } from 'node:crypto'

/** An id for what a caller makes. */
export const newUrn = (): string => `urn:uuid:${randomUUID()}`
