// What the console may show of an artifact's bytes. Everything not listed is downloaded, never rendered.

export type Preview =
  | { readonly kind: 'text' | 'json' | 'csv' | 'tsv' | 'markdown'; readonly text: string }
  /** `reason` completes "No preview: …". */
  | { readonly kind: 'none'; readonly reason: string }

/** Beyond this size a text is downloaded: a page that shows a part of what is signed would mislead. */
export const PREVIEW_LIMIT_BYTES = 1024 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const SOURCE_TYPES = new Set(['application/xml', 'application/javascript', 'application/yaml', 'application/toml', 'application/x-ndjson', 'application/sql', 'image/svg+xml'])

/**
 * Decides by the manifest's media type and proves it by the bytes: text must be UTF-8 without NUL. HTML, SVG and XML
 * are shown as source. A JSON document that does not parse is shown as the text that it is.
 */
export function classifyPreview(mediaType: string, bytes: Uint8Array): Preview {
  const type = mediaType.toLowerCase()
  const kind = kindOf(type)
  if (kind === undefined) return { kind: 'none', reason: `${type} is not shown in the page` }
  if (bytes.length > PREVIEW_LIMIT_BYTES) return { kind: 'none', reason: 'the file is larger than 1 MiB' }
  const text = decodeText(bytes)
  if (text === undefined) return { kind: 'none', reason: 'the bytes are not the text that their type promises' }
  return { kind: kind === 'json' && !isJson(text) ? 'text' : kind, text }
}

/** The text of UTF-8 bytes, or undefined when they are something else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function kindOf(type: string): Exclude<Preview['kind'], 'none'> | undefined {
  if (type === 'application/json' || type.endsWith('+json')) return 'json'
  if (type === 'text/csv') return 'csv'
  if (type === 'text/tab-separated-values') return 'tsv'
  if (type === 'text/markdown' || type === 'text/x-markdown') return 'markdown'
  if (type.startsWith('text/') || type.endsWith('+xml') || SOURCE_TYPES.has(type)) return 'text'
  return undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
