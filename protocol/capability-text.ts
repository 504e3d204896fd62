// Capabilities as people write them: `release.report@1.0.0`.

export const CAPABILITY_ID = /^[a-z0-9]+(?:[.-][a-z0-9]+)+$/
export const CAPABILITY_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/
export const CAPABILITY_ID_MAXIMUM = 200

/** Id and version; undefined for a text that names no capability. */
export function readCapability(text: string): { id: string; version: string } | undefined {
  const [id = '', version = '', ...more] = text.split('@')
  const isWellFormed = more.length === 0 && id.length <= CAPABILITY_ID_MAXIMUM && CAPABILITY_ID.test(id) && CAPABILITY_VERSION.test(version)
  return isWellFormed ? { id, version } : undefined
}
