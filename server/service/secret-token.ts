import { createHash, randomBytes } from 'node:crypto'
import { encodeBase64url } from '../../protocol/base64url.ts'

/** A token of 32 random bytes, shown to its holder once. */
export const newToken = (): string => encodeBase64url(randomBytes(32))

/** What is kept of a token: its SHA-256 in hex. Looking it up by hash also keeps comparisons free of timing. */
export const tokenHashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
