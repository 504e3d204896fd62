// SHA-2 for any runtime. The server's bundle has `server/native-sha2.ts` in its place, by `imports` of package.json.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

export { sha512 } from '@noble/hashes/sha2.js'

/** SHA-256 of the bytes: 64 lower-case hex digits. */
export const sha256Hex = (bytes: Uint8Array): string => bytesToHex(sha256(bytes))
