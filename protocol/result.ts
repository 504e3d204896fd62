/** Outcome of an operation whose refusal is expected. Faults are thrown, refusals are returned. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })

export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error })

/** A broken promise of our own code; never the answer to bad input. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
}

/** Throws InvariantViolation unless the condition holds. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message)
}

/** Marks an arm that the type checker has proved unreachable. */
export function assertNever(value: never): never {
  throw new InvariantViolation(`unreachable case: ${String(value)}`)
}
