// The files of a public conformance bundle: where they are, whether they are the listed ones, whether they fit.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import { isUri } from '../../protocol/identifier.ts'
import type { JsonObject, JsonValue } from '../../protocol/strict-json.ts'
import { parseStrictJson } from '../../protocol/strict-json.ts'
import { isTimestamp } from '../../protocol/timestamp.ts'

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024
const SEARCH_DEPTH = 3
const PUBLIC_SCHEMAS = 'schemas/'

/** A bundle's folder and what it declares. Paths in manifests are relative to `root`. */
export type Bundle<M> = { readonly root: string; readonly manifest: M }

/** What was found wrong, in words; an empty list is a pass. */
export type Differences = string[]

type ListedArtifact = { readonly path: string; readonly byteLength: number; readonly sha256: string }

export type ArtifactManifest = {
  readonly artifactDigest: string
  readonly artifacts: readonly ListedArtifact[]
}

/** Outcome of one bundle. It conforms when every evaluation passed and nothing differs. */
export type BundleReport = {
  readonly name: 'structural' | 'cryptography' | 'admission'
  readonly passed: number
  readonly total: number
  /** Number of evaluations in the bundle published for 0.1. */
  readonly published: number
  readonly artifacts?: { readonly checked: number; readonly absent: readonly string[] }
  readonly digest?: string
  readonly differences: readonly string[]
}

export type ArtifactReport = {
  readonly checked: number
  readonly absent: readonly string[]
  readonly differences: Differences
}

/** Loads the manifest at this path below `folder` or one of its folders; undefined when there is none. */
export function findBundle<M>(folder: string, manifestPath: string, depth = SEARCH_DEPTH): Bundle<M> | undefined {
  if (existsSync(join(folder, manifestPath))) {
    return { root: folder, manifest: readJson(folder, manifestPath) as M }
  }
  if (depth === 0) return undefined
  for (const name of readdirSync(folder).sort()) {
    const inner = join(folder, name)
    if (name === 'node_modules' || !statSync(inner).isDirectory()) continue
    const found = findBundle<M>(inner, manifestPath, depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

export const readBytes = (root: string, path: string): Uint8Array => readFileSync(join(root, path))

/** A JSON file of the bundle. Throws when it does not parse: a broken bundle is not a failed evaluation. */
export function readJson(root: string, path: string): JsonValue {
  const parsed = parseStrictJson(readBytes(root, path), { maxBytes: MAX_MANIFEST_BYTES })
  if (!parsed.ok) throw new Error(`${path}: ${parsed.error.message}`)
  return parsed.value.value
}

/**
 * Checks length and hash of every listed file, and the manifest's own digest: SHA-256 over its RFC 8785 form without
 * `artifactDigest`. A public schema that the bundle lists but does not hold is absent, not wrong; this product has
 * its own.
 */
export function checkArtifacts({ root, manifest }: Bundle<ArtifactManifest>, publishedDigest: string): ArtifactReport {
  const absent: string[] = []
  const differences: Differences = []
  for (const { path, byteLength, sha256 } of manifest.artifacts) {
    if (!existsSync(join(root, path))) {
      if (path.startsWith(PUBLIC_SCHEMAS)) absent.push(path)
      else differences.push(`${path}: listed, but missing`)
      continue
    }
    const bytes = readBytes(root, path)
    if (bytes.length !== byteLength) differences.push(`${path}: ${bytes.length} bytes, ${byteLength} listed`)
    const hash = sha256Hash(bytes)
    if (hash !== sha256) differences.push(`${path}: hash ${hash}, ${sha256} listed`)
  }
  const { artifactDigest, ...digested } = manifest
  const digest = sha256Hash(encodeCanonical(digested))
  if (digest !== artifactDigest) differences.push(`manifest: digest ${digest}, ${artifactDigest} declared`)
  if (digest !== publishedDigest) differences.push(`manifest: digest ${digest}, ${publishedDigest} published for 0.1`)
  return { checked: manifest.artifacts.length - absent.length, absent, differences }
}

/** Validates JSON files of the bundle against a fixture schema of the bundle. */
export function validateFixtures(root: string, schemaPath: string, paths: Iterable<string>): Differences {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, formats: { uri: isUri, 'date-time': isTimestamp } })
  const validate = ajv.compile(readJson(root, schemaPath) as JsonObject)
  return [...new Set(paths)].flatMap((path) =>
    validate(readJson(root, path)) ? [] : [`${path}: does not fit ${schemaPath}: ${ajv.errorsText(validate.errors)}`],
  )
}

/** One thing to judge: what it is called and how. */
export type Trial = { readonly id: string; readonly judge: () => Differences | Promise<Differences> }

/** Runs the trials; a file that cannot be read or parsed fails its trial instead of the run. Gives the number passed. */
export async function runTrials(trials: readonly Trial[], differences: Differences): Promise<number> {
  let passed = 0
  for (const { id, judge } of trials) {
    let found: Differences
    try {
      found = await judge()
    } catch (cause) {
      found = [cause instanceof Error ? cause.message : String(cause)]
    }
    if (found.length === 0) passed++
    differences.push(...found.map((difference) => `${id}: ${difference}`))
  }
  return passed
}
