// The model-based test over some seeds. A seed that fails is named with its step: MODEL_SEED=n replays its history alone, and
// MODEL_STEPS=m stops it after that many steps.
import { describe, expect, it } from 'vitest'
import { MISSION_ROOT_DECIDE } from '../../../protocol/kinds.ts'
import { commandPayloadKinds } from '../../../protocol/validate.ts'
import { saw } from '../evidence.ts'
import { Judge } from './judge.ts'
import { World } from './world.ts'

const COMMANDS_PER_SEED = 2_500

interface Run { readonly judge: Judge; readonly sent: number; readonly fault?: Error }

/** Lives through the history of a seed until so many Commands were sent, or so many steps were taken. */
async function run(seed: number, steps = Infinity): Promise<Run> {
  const judge = new Judge()
  const world = new World(seed, judge)
  try {
    await world.begin()
    while (world.sent < COMMANDS_PER_SEED && world.step < steps) await world.advance()
    await world.end()
    return { judge, sent: world.sent }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return { judge, sent: world.sent, fault: new Error(`${reason} — MODEL_SEED=${seed} MODEL_STEPS=${world.step} replays it`, { cause }) }
  }
}

/** No child Mission of this world comes so far that it is submitted; `mission-reaction.test.ts` has what its root says then. */
const NEVER_ACCEPTED: readonly string[] = [MISSION_ROOT_DECIDE]
/** Kinds of which no random Command is refused: whoever asks for them is rarely wrong. */
const HARDLY_REFUSED: readonly string[] = []

/** One test for each seed, and what all of them together have to show. */
export function describeModel(seeds: readonly number[]): void {
  const { MODEL_SEED, MODEL_STEPS } = process.env
  const wanted = MODEL_SEED === undefined ? seeds : seeds.filter((seed) => seed === Number(MODEL_SEED))
  const total = { sent: 0, accepted: 0, duplicate: 0, refused: 0 }
  const kinds = new Map<string, { accepted: number; refused: number }>()
  const codes = new Map<string, number>()

  function add({ judge, sent }: Run): void {
    total.sent += sent
    for (const [kind, { accepted, duplicate, refused }] of judge.counts) {
      const known = kinds.get(kind) ?? { accepted: 0, refused: 0 }
      kinds.set(kind, { accepted: known.accepted + accepted, refused: known.refused + refused })
      total.accepted += accepted
      total.duplicate += duplicate
      total.refused += refused
      if (accepted > 0) saw('accepted', kind)
    }
    for (const [code, count] of judge.codes) codes.set(code, (codes.get(code) ?? 0) + count)
    for (const kind of judge.events.keys()) saw('event', kind)
  }

  describe('several Missions on two servers (A-15 to A-27)', () => {
    it.each(wanted)('keep every invariant, whatever comes in which order (seed %i)', async (seed) => {
      const result = await run(seed, MODEL_STEPS === undefined ? undefined : Number(MODEL_STEPS))
      if (result.fault) throw result.fault
      add(result)
    }, 120_000)

    it.skipIf(wanted.length < seeds.length)('were asked enough, and by Commands of every kind', () => {
      const lines = [...kinds].sort().map(([kind, { accepted, refused }]) => `${String(accepted).padStart(7)} accepted ${String(refused).padStart(7)} refused  ${kind}`)
      const share = (total.accepted / (total.accepted + total.refused)).toFixed(2)
      console.log([`${total.sent} Commands, ${total.accepted} accepted (${share} of those that were no duplicates), ${total.duplicate} duplicates, ${total.refused} refused`, ...lines, [...codes].sort().map(([code, count]) => `${code} ${count}`).join(', ')].join('\n'))
      expect(total.sent).toBeGreaterThanOrEqual(seeds.length * COMMANDS_PER_SEED)
      expect(commandPayloadKinds.filter((kind) => (kinds.get(kind)?.accepted ?? 0) === 0)).toEqual(NEVER_ACCEPTED)
      expect(commandPayloadKinds.filter((kind) => (kinds.get(kind)?.refused ?? 0) === 0 && !HARDLY_REFUSED.includes(kind))).toEqual([])
      expect(total.accepted / (total.accepted + total.refused)).toBeGreaterThan(0.5)
      expect(total.duplicate).toBeGreaterThan(0)
    })
  })
}
