// The results of the four jobs as bytes and back. The same result always has the same bytes, and so the same hash.
import { z } from 'zod'
import type { Inventory } from './jobs/inventory.ts'
import type { LicenceReport } from './jobs/licence-policy.ts'
import { checkLicences, defaultAllowedLicences, licencesCsv } from './jobs/licence-policy.ts'
import type { LinkReport } from './jobs/link-check.ts'
import type { ChangeRequest, ReviewParts } from './jobs/report.ts'
import { reviewReport } from './jobs/report.ts'
import type { Job, ReviewConstraints } from './review-jobs.ts'

export type JobContent =
  | { readonly job: 'inventory'; readonly inventory: Inventory }
  | { readonly job: 'licences'; readonly licences: LicenceReport }
  | { readonly job: 'links'; readonly links: LinkReport }
  | { readonly job: 'report'; readonly parts: ReviewParts; readonly changeRequest?: ChangeRequest }

const inventoryShape = z.strictObject({
  project: z.string(),
  lockfileVersion: z.int(),
  dependencies: z.array(
    z.strictObject({
      name: z.string().min(1),
      version: z.string(),
      licence: z.string(),
      path: z.string().min(1),
      isDevelopmentOnly: z.boolean(),
      isOptional: z.boolean(),
      integrity: z.string(),
    }),
  ),
})
const linksShape = z.strictObject({
  files: z.array(z.string().min(1)),
  links: z.array(
    z.strictObject({
      file: z.string().min(1),
      line: z.int().nonnegative(),
      target: z.string(),
      status: z.enum(['ok', 'missing-file', 'missing-heading', 'outside-folder', 'not-checked']),
    }),
  ),
})

const utf8 = new TextEncoder()
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** The artifact that holds the result. */
export const bytesOf = (content: JobContent): Uint8Array => utf8.encode(textOf(content))

function textOf(content: JobContent): string {
  switch (content.job) {
    case 'inventory':
      return json(content.inventory)
    case 'licences':
      return licencesCsv(content.licences)
    case 'links':
      return json(content.links)
    case 'report':
      return reviewReport(content.parts, content.changeRequest)
  }
}

/** The inventory in these bytes, or undefined when they hold something else. */
const readInventory = (bytes: Uint8Array): Inventory | undefined => read(inventoryShape, bytes)

/** The link report in these bytes, or undefined when they hold something else. */
const readLinks = (bytes: Uint8Array): LinkReport | undefined => read(linksShape, bytes)

/** What follows from an inventory under the contract's list; licences.csv holds the same in fewer columns. */
export function licencesOf(inventory: Inventory, { allowedLicences = defaultAllowedLicences }: ReviewConstraints): LicenceReport {
  return checkLicences(inventory, allowedLicences)
}

/**
 * The result that an artifact holds, given the verified results that the job builds on and its contract's constraints.
 * Undefined when the bytes are not exactly what the job makes of such a result.
 */
export function contentIn(job: Job, bytes: Uint8Array, known: Partial<ReviewParts>, constraints: ReviewConstraints): JobContent | undefined {
  const content = claimedContent(job, bytes, known, constraints)
  return content && isSameContent(bytesOf(content), bytes) ? content : undefined
}

function claimedContent(job: Job, bytes: Uint8Array, known: Partial<ReviewParts>, constraints: ReviewConstraints): JobContent | undefined {
  const { licences } = known
  const inventory = known.inventory ?? readInventory(bytes)
  const links = known.links ?? readLinks(bytes)
  switch (job) {
    case 'inventory':
      return inventory && { job, inventory }
    case 'licences':
      return inventory && { job, licences: licencesOf(inventory, constraints) }
    case 'links':
      return links && { job, links }
    case 'report':
      return inventory && licences && links && reportOf({ inventory, licences, links }, constraints)
  }
}

export function reportOf(parts: ReviewParts, { changeRequest }: ReviewConstraints): JobContent {
  return { job: 'report', parts, ...(changeRequest && { changeRequest }) }
}

function read<T>(shape: z.ZodType<T>, bytes: Uint8Array): T | undefined {
  try {
    return shape.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).data
  } catch {
    return undefined
  }
}

const isSameContent = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, index) => byte === b[index])
