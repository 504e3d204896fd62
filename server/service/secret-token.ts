import { createHash, randomBytes } from 'node:crypto'
import { encodeBase64url } from '../../protocol/base64url.ts'

/** A token of 32 random bytes, shown to its holder once. */
export const newToken = (): string => encodeBase64url(randomBytes(32))

/** What is kept of a token: its SHA-256 in hex. Looking it up or comparing it by hash tells nothing by the time that it takes. */
export const tokenHashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
