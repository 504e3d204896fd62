import jcs from 'canonicalize'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'

/** The value holds a non-finite number or a lone surrogate, which the I-JSON model lacks. */
export type CanonicalFault = { readonly reason: 'outside-data-model'; readonly message: string }

const utf8 = new TextEncoder()

/** RFC 8785 text of a value from the strict parser or of a document of our own. Throws outside the data model. */
export function canonicalText(value: unknown): string {
  const text = jcs(value)
  if (text === undefined) throw new TypeError('the value has no JSON form')
  return text
}

/** RFC 8785 bytes of a document of our own; throws where `canonicalize` would refuse. */
export const encodeCanonical = (value: unknown): Uint8Array => utf8.encode(canonicalText(value))

/** RFC 8785 bytes of a received value (stage 5). Numbers and times are not rewritten beyond binary64. */
export function canonicalize(value: unknown): Result<Uint8Array, CanonicalFault> {
  try {
    return ok(encodeCanonical(value))
  } catch (cause) {
    return err({ reason: 'outside-data-model', message: cause instanceof Error ? cause.message : String(cause) })
  }
}
