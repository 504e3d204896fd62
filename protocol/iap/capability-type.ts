// Kinds of capability. The protocol prints two and mentions a third; others start with `x-`.

export const CapabilityType = {
  CODE_EXECUTION: 'code_execution',
  DATA_ANALYSIS: 'data_analysis',
  TEXT_GENERATION: 'text_generation',
} as const
/** A known kind, or one of somebody's own. */
export type CapabilityType = (typeof CapabilityType)[keyof typeof CapabilityType] | `x-${string}`

const KNOWN: ReadonlySet<string> = new Set(Object.values(CapabilityType))
const OWN = /^x-[a-z0-9][a-z0-9_.-]*$/

/** Folds ASCII letters to lower case, so that the spelling of the constants is taken for the value. */
export const foldCapabilityType = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Whether the text names a kind of capability once it is folded. */
export function isCapabilityType(text: string): boolean {
  const folded = foldCapabilityType(text)
  return KNOWN.has(folded) || OWN.test(folded)
}

/** Whether the capability is what a proposal requires: by kind after folding, or by its id to the letter. */
export const answersTo = (capability: { readonly id: string; readonly type: string }, required: string): boolean =>
  capability.id === required || foldCapabilityType(capability.type) === foldCapabilityType(required)
