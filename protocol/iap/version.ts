// Versions of the Inter-Agent Protocol: peers understand each other when they share the major.

/** What this product speaks: 1.0 and, between peers that announce it, batches and partial results. */
export const IAP_VERSION = '1.1.0'
/** What the text of the protocol describes. */
export const IAP_BASE_VERSION = '1.0.0'

const SEMANTIC = /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/** The major number, or `undefined` when the text is no semantic version. */
export function majorOf(version: string): bigint | undefined {
  const match = SEMANTIC.exec(version)
  return match === null ? undefined : BigInt(match[1]!)
}

/** Whether both are versions and share the major. */
export function isCompatibleVersion(version: string, other = IAP_BASE_VERSION): boolean {
  const major = majorOf(version)
  return major !== undefined && major === majorOf(other)
}

/** Whether a peer of this version knows what 1.1 added. */
export function speaksAdditions(version: string): boolean {
  const match = SEMANTIC.exec(version)
  return match !== null && match[1] === '1' && match[2] !== '0'
}
