import { parseStrictJson } from '../../protocol/strict-json.ts'
import type { ObjectName } from '../../protocol/validate.ts'
import { validateDocument } from '../../protocol/validate.ts'
import type { Bundle, BundleReport, Differences } from './bundle-files.ts'
import { readBytes, runTrials } from './bundle-files.ts'

/** Path of the bundle's manifest: a plain list of instances with the verdict that each must get. */
export const STRUCTURAL_MANIFEST = 'conformance/manifest.json'

export type StructuralCase = {
  readonly name: string
  readonly schema: string
  readonly instance: string
  readonly valid: boolean
}

/** Judges every instance by this product's own schema of the named file (A-280: 27 valid, 31 invalid). */
export async function runStructural({ root, manifest }: Bundle<readonly StructuralCase[]>): Promise<BundleReport> {
  const differences: Differences = []
  const trials = manifest.map((one) => ({ id: one.name, judge: () => judgeInstance(root, one) }))
  const passed = await runTrials(trials, differences)
  return { name: 'structural', passed, total: manifest.length, published: 58, differences }
}

function judgeInstance(root: string, { schema, instance, valid }: StructuralCase): Differences {
  const parsed = parseStrictJson(readBytes(root, instance))
  const fits = parsed.ok && validateDocument(objectName(schema), parsed.value.schemaView) === undefined
  return fits === valid ? [] : [`${instance} is ${fits ? 'accepted' : 'refused'}`]
}

/** `schemas/work-item.schema.json` names the object `work-item`. */
const objectName = (schema: string): ObjectName =>
  schema.slice('schemas/'.length, -'.schema.json'.length) as ObjectName
