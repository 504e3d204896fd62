import { describe, expect, test } from 'vitest'
import { ARTIFACT_NAME, artifactName } from './artifact-name.ts'

const uri = 'https://authority.example/artifacts/sha256:ab'
const named = (data: unknown) => ({ uri, extensions: { [ARTIFACT_NAME]: { version: '1.0.0', critical: false, data } } })

describe('the name of an Artifact', () => {
  test('is the signed one', () => expect(artifactName(named('report.md'))).toBe('report.md'))
  test.each([[undefined], [7], ['  '], [null]])('falls back to the end of the URI for %o', (data) => expect(artifactName(named(data))).toBe('sha256:ab'))
  test('is cut by code points, not in the middle of a character', () => expect(artifactName(named('😀'.repeat(200)))).toBe('😀'.repeat(120)))
})
