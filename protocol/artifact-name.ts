import type { Artifact } from './generated/types.ts'

/** Manifest extension whose `data` is the file name that people see; not critical, so other readers may ignore it. */
export const ARTIFACT_NAME = 'urn:countersign:artifact-name'

const MAX_NAME_LENGTH = 120

/** The signed file name of an Artifact in at most 120 code points, else the last segment of its URI. */
export function artifactName({ uri, extensions }: Pick<Artifact, 'uri' | 'extensions'>): string {
  const named = extensions?.[ARTIFACT_NAME]?.data
  const name = typeof named === 'string' && named.trim() !== '' ? named : (uri.split('/').at(-1) ?? uri)
  return [...name].slice(0, MAX_NAME_LENGTH).join('')
}
