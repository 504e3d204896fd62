import type { AdmissionLog, AppendOutcome, LookupOutcome, TrustedContext } from '../../protocol/admission.ts'
import { admitFirst, replayAdmission } from '../../protocol/admission.ts'
import { canonicalText } from '../../protocol/canonical-json.ts'
import type { Actor } from '../../protocol/generated/types.ts'
import type { KeyResolver } from '../../protocol/key-registry.ts'
import type { DocumentKind } from '../../protocol/signed-documents.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import type { ArtifactManifest, Bundle, BundleReport, Differences } from './bundle-files.ts'
import { checkArtifacts, readBytes, readJson, runTrials, validateFixtures } from './bundle-files.ts'
import { CRYPTOGRAPHY_DIGEST } from './cryptography.ts'
import { verifyNatively } from './native-verifier.ts'
import { registryFixtures } from './registry-fixture.ts'

export const ADMISSION_MANIFEST = 'admission/manifest.json'
const ADMISSION_DIGEST = 'sha256:39971bfafb68ef6c18f9026220cccc4f023fd4d5c8074f8ff0276cb1129cd0a0'

/** A log outcome as the manifest writes it; `record` is a path. */
type ListedOutcome = { readonly status: string; readonly record?: string; readonly authenticatedService?: Actor }
type Evaluation = {
  readonly id: string
  readonly profileId: DocumentKind
  readonly mode: 'first-admission' | 'historical-replay'
  readonly document: string
  readonly registry: string
  readonly trustedContext: TrustedContext | null
  readonly lookup: ListedOutcome
  readonly append: ListedOutcome | null
  readonly expect: { readonly stage: string; readonly wireCode: string | null; readonly record?: string; readonly reason?: string }
}
export type AdmissionManifest = ArtifactManifest & {
  readonly fixtureSchemas: { readonly registry: string }
  readonly cryptography: { readonly artifactDigest: string }
  readonly cases: readonly { readonly id: string; readonly evaluations: readonly Evaluation[] }[]
}

/** Runs first admission and historical replay against logs that answer as listed. */
export async function runAdmission(bundle: Bundle<AdmissionManifest>): Promise<BundleReport> {
  const { root, manifest } = bundle
  const differences: Differences = []
  const evaluations = manifest.cases.flatMap((one) => one.evaluations)
  await runTrials([{ id: 'fixtures', judge: () => judgeFixtures(root, manifest, evaluations) }], differences)
  const { differences: fileDifferences, ...artifacts } = checkArtifacts(bundle, ADMISSION_DIGEST)
  differences.push(...fileDifferences)
  const resolverOf = registryFixtures(root)
  const trials = evaluations.map((evaluation) => ({
    id: evaluation.id,
    judge: () => judgeAdmission(root, evaluation, resolverOf(evaluation.registry)),
  }))
  const passed = await runTrials(trials, differences)
  const digest = manifest.artifactDigest
  return { name: 'admission', passed, total: evaluations.length, published: 30, artifacts, digest, differences }
}

/** Records are not judged here: their schema is one of this product's own, and validating them is under test. */
function judgeFixtures(root: string, manifest: AdmissionManifest, evaluations: readonly Evaluation[]): Differences {
  const pinned = manifest.cryptography.artifactDigest
  return [
    ...validateFixtures(root, 'admission/manifest.schema.json', [ADMISSION_MANIFEST]),
    ...validateFixtures(root, manifest.fixtureSchemas.registry, evaluations.map((one) => one.registry)),
    ...(pinned === CRYPTOGRAPHY_DIGEST ? [] : ['the manifest pins another cryptography bundle']),
  ]
}

async function judgeAdmission(root: string, evaluation: Evaluation, registry: KeyResolver): Promise<Differences> {
  const { profileId: kind, document, mode, expect } = evaluation
  const bytes = readBytes(root, document)
  const verified = await verifyDocument({ kind, bytes, registry, verifySignature: verifyNatively })
  if (!verified.ok) return [`the document fails at ${verified.error.stage}, before admission`]
  const differences: Differences = []
  const seams = { subject: verified.value, ...listedSeams(root, evaluation, differences) }
  const outcome = mode === 'first-admission' ? await admitFirst(seams) : await replayAdmission(seams)
  const stage = outcome.ok ? 'complete' : outcome.error.stage
  const wireCode = outcome.ok ? null : outcome.error.code
  if (stage !== expect.stage || wireCode !== expect.wireCode) differences.push(`${stage}, ${expect.stage} expected`)
  if (!outcome.ok && outcome.error.reason !== expect.reason) {
    differences.push(`${outcome.error.reason}, ${expect.reason ?? 'success'} expected`)
  }
  if (outcome.ok && expect.record !== undefined) {
    const isListed = canonicalText(outcome.value) === canonicalText(readJson(root, expect.record))
    if (!isListed) differences.push(`another record than ${expect.record}`)
  }
  return differences
}

/** Adapters that answer as listed; a call that the evaluation does not list is itself a difference. */
function listedSeams(root: string, { lookup, append, trustedContext }: Evaluation, differences: Differences) {
  const answer = (outcome: ListedOutcome) =>
    outcome.record === undefined ? outcome : { ...outcome, record: readBytes(root, outcome.record) }
  const log: AdmissionLog = {
    lookup: async () => answer(lookup) as LookupOutcome,
    append: async () => {
      if (append === null) differences.push('appended, although nothing may be')
      return answer(append ?? { status: 'indeterminate' }) as AppendOutcome
    },
  }
  const context = (): TrustedContext => {
    if (trustedContext === null) differences.push('asked for a trusted context, although none may be')
    return trustedContext ?? { admissionRecordId: '', trustedAcceptedAt: '', acceptedBy: { type: 'service', id: '' } }
  }
  return { log, trustedContext: context }
}
