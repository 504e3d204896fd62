// Runs the public MissionWeaveProtocol 0.1 bundles that lie in a folder. `npm run conformance` and the tests call it.
import type { AdmissionManifest } from './conformance/admission.ts'
import { ADMISSION_MANIFEST, runAdmission } from './conformance/admission.ts'
import type { BundleReport } from './conformance/bundle-files.ts'
import { findBundle } from './conformance/bundle-files.ts'
import type { CryptographyManifest } from './conformance/cryptography.ts'
import { CRYPTOGRAPHY_MANIFEST, runCryptography } from './conformance/cryptography.ts'
import type { StructuralCase } from './conformance/structural.ts'
import { runStructural, STRUCTURAL_MANIFEST } from './conformance/structural.ts'

/** Reports of the bundles found in the folder or up to three folders below it, in a fixed order. */
export async function runBundles(folder: string): Promise<readonly BundleReport[]> {
  const structural = findBundle<readonly StructuralCase[]>(folder, STRUCTURAL_MANIFEST)
  const cryptography = findBundle<CryptographyManifest>(folder, CRYPTOGRAPHY_MANIFEST)
  const admission = findBundle<AdmissionManifest>(folder, ADMISSION_MANIFEST)
  return [
    ...(structural === undefined ? [] : [await runStructural(structural)]),
    ...(cryptography === undefined ? [] : [await runCryptography(cryptography)]),
    ...(admission === undefined ? [] : [await runAdmission(admission)]),
  ]
}

/** Whether every evaluation of the published bundle is there and passed, and nothing else differs. */
export const conforms = ({ passed, total, published, differences }: BundleReport): boolean =>
  passed === total && total === published && differences.length === 0
