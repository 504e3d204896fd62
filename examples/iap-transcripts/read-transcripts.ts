// The transcripts of this folder, in the order of their names.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Transcript } from '../../sdk/iap/transcript.ts'

export function readTranscripts(): readonly Transcript[] {
  const folder = import.meta.dirname
  const files = readdirSync(folder).filter((name) => name.endsWith('.json')).sort()
  return files.map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Transcript)
}
