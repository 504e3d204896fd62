import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { canonicalize, encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import { publicKeyOf, signBytes } from '../../protocol/ed25519-sign.ts'
import { verifyWithCheckedKey } from '../../protocol/ed25519-strict.ts'
import type { Actor } from '../../protocol/generated/types.ts'
import type { KeyResolver } from '../../protocol/key-registry.ts'
import type { DocumentKind } from '../../protocol/signed-documents.ts'
import type { SignatureVerifier, VerifiedDocument } from '../../protocol/verify-document.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import type { ArtifactManifest, Bundle, BundleReport, Differences } from './bundle-files.ts'
import { checkArtifacts, readBytes, readJson, runTrials, validateFixtures } from './bundle-files.ts'
import { verifyNatively } from './native-verifier.ts'
import { registryFixtures } from './registry-fixture.ts'

export const CRYPTOGRAPHY_MANIFEST = 'cryptography/manifest.json'
export const CRYPTOGRAPHY_DIGEST = 'sha256:5eade516e4bc5dcf04477727ebcccd11f33348b2d9135fb6fe0365c6e6cc2ea3'

type Canonicalization = { readonly input: string; readonly expectedJcs: string; readonly sha256: string }
type Verified = {
  readonly keyId: string
  readonly principal: Actor
  readonly protectedTime: string
  readonly signingBytes: string
  readonly signingHash: string
  readonly signature: string
  readonly signedDocumentHash: string
}
type Verification = {
  readonly profileId: DocumentKind
  readonly document: string
  readonly registry: string
  readonly signingKey?: string
  readonly expect: { readonly stage: string; readonly wireCode: string | null; readonly verified?: Verified }
}
type Evaluation = Canonicalization | Verification
export type CryptographyManifest = ArtifactManifest & {
  readonly fixtureSchemas: { readonly registry: string; readonly signingKey: string }
  readonly cases: readonly { readonly id: string; readonly evaluations: readonly Evaluation[] }[]
}

/** Both ways of deciding stage 6 must give every verdict: the portable one and the one that servers inject. */
const VERIFIERS: readonly (readonly [string, SignatureVerifier])[] = [
  ['portable', verifyWithCheckedKey],
  ['native', verifyNatively],
]

/** Runs the six-stage evaluations offline. */
export async function runCryptography(bundle: Bundle<CryptographyManifest>): Promise<BundleReport> {
  const { root, manifest } = bundle
  const differences: Differences = []
  const evaluations = manifest.cases.flatMap((one) => one.evaluations.map((evaluation) => ({ id: one.id, evaluation })))
  await runTrials([{ id: 'fixtures', judge: () => judgeFixtures(bundle) }], differences)
  const { differences: fileDifferences, ...artifacts } = checkArtifacts(bundle, CRYPTOGRAPHY_DIGEST)
  differences.push(...fileDifferences)
  const resolverOf = registryFixtures(root)
  const trials = evaluations.map(({ id, evaluation }) => ({
    id,
    judge: () =>
      'input' in evaluation
        ? judgeCanonicalization(root, evaluation)
        : judgeVerification(root, evaluation, resolverOf(evaluation.registry)),
  }))
  const passed = await runTrials(trials, differences)
  const digest = manifest.artifactDigest
  return { name: 'cryptography', passed, total: evaluations.length, published: 62, artifacts, digest, differences }
}

function judgeFixtures({ root, manifest }: Bundle<CryptographyManifest>): Differences {
  const verifications = manifest.cases.flatMap(({ evaluations }) => evaluations).filter((one) => 'document' in one)
  const { registry, signingKey } = manifest.fixtureSchemas
  return [
    ...validateFixtures(root, 'cryptography/manifest.schema.json', [CRYPTOGRAPHY_MANIFEST]),
    ...validateFixtures(root, registry, verifications.map((one) => one.registry)),
    ...validateFixtures(root, signingKey, verifications.flatMap((one) => one.signingKey ?? [])),
  ]
}

function judgeCanonicalization(root: string, { input, expectedJcs, sha256 }: Canonicalization): Differences {
  const canonical = canonicalize(readJson(root, input))
  if (!canonical.ok) return [`${input}: ${canonical.error.message}`]
  const expected = readBytes(root, expectedJcs)
  if (!sameBytes(canonical.value, expected)) return [`${input}: canonical bytes differ from ${expectedJcs}`]
  return sha256Hash(canonical.value) === sha256 ? [] : [`${input}: canonical hash differs`]
}

async function judgeVerification(root: string, evaluation: Verification, registry: KeyResolver): Promise<Differences> {
  const { profileId: kind, document, expect } = evaluation
  const differences: Differences = []
  for (const [name, verifySignature] of VERIFIERS) {
    const verdict = await verifyDocument({ kind, bytes: readBytes(root, document), registry, verifySignature })
    const stage = verdict.ok ? 'complete' : verdict.error.stage
    const wireCode = verdict.ok ? null : verdict.error.code
    if (stage !== expect.stage || wireCode !== expect.wireCode) {
      differences.push(`${document} with ${evaluation.registry} (${name}): ${stage}, ${expect.stage} expected`)
    } else if (verdict.ok && expect.verified !== undefined) {
      differences.push(...judgeVerified(root, verdict.value, expect.verified).map((what) => `${document}: ${what} differs`))
    }
  }
  if (evaluation.signingKey !== undefined) differences.push(...judgeSigningKey(root, evaluation))
  return differences
}

/** What verification established must be what the vector lists. */
function judgeVerified(root: string, document: VerifiedDocument, expected: Verified): Differences {
  const found: Record<keyof Verified, boolean> = {
    keyId: document.keyId === expected.keyId,
    principal: document.principal.type === expected.principal.type && document.principal.id === expected.principal.id,
    protectedTime: document.protectedTime === expected.protectedTime,
    signingBytes: sameBytes(document.signingBytes, readBytes(root, expected.signingBytes)),
    signingHash: document.signingHash === expected.signingHash,
    signature: document.value.signature.value === expected.signature,
    signedDocumentHash: sha256Hash(encodeCanonical(document.value)) === expected.signedDocumentHash,
  }
  return Object.entries(found).flatMap(([what, isSame]) => (isSame ? [] : [what]))
}

/** Signing the listed bytes with the listed test key must give the listed signature. */
function judgeSigningKey(root: string, { document, signingKey, expect }: Verification): Differences {
  if (signingKey === undefined || expect.verified === undefined) return []
  const { seed, publicKey } = readJson(root, signingKey) as { seed: string; publicKey: string }
  const seedBytes = decodeBase64url(seed)
  if (seedBytes?.length !== 32 || encodeBase64url(publicKeyOf(seedBytes)) !== publicKey) {
    return [`${signingKey}: the seed does not give the public key`]
  }
  const signature = encodeBase64url(signBytes(seedBytes, readBytes(root, expect.verified.signingBytes)))
  return signature === expect.verified.signature ? [] : [`${document}: signing again gives another signature`]
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0
