// Refusals of open Spaces, as values.
import { err } from '../../../protocol/result.ts'
import type { SpaceRefusal } from './types.ts'

export const refuse = (category: SpaceRefusal['category'], reason: string) => err<SpaceRefusal>({ category, reason })
