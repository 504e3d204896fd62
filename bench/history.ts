// Whether a Command costs more where much has happened before: Groups of 1,000, 10,000 and 100,000 Events, measured in turn.
import { setTimeout as pause } from 'node:timers/promises'
import { drive, type Measured } from './load.ts'
import { fillGroup } from './replay.ts'
import { connect, signFrames, type Workplace } from './workplace.ts'

export interface HistoryRow { readonly events: number; readonly measured: Measured; /** Rate in proportion to that of the shortest Group. */ readonly ratio: number }

const lengths = [1_000, 10_000, 100_000]
const commands = 1_000
/** What policy counts messages over: the filling may use up its highest limit. */
const rateWindowMs = 60_000

/** Commands accepted per second, 32 in flight, in Groups of these lengths; the median of interleaved rounds. */
export async function measureHistory({ url, agents }: Workplace, rounds: number): Promise<readonly HistoryRow[]> {
  const runs = lengths.map((): Measured[] => [])
  for (const [index, length] of lengths.entries()) await fillGroup(url, agents[index]!, length)
  await pause(rateWindowMs)
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, measured] of runs.entries()) {
      const { socket, sessionEpoch } = await connect(url, agents[index]!)
      measured.push(await drive([{ socket, frames: await signFrames(agents[index]!, sessionEpoch, commands, false) }], 32))
      socket.terminate()
    }
  }
  const medians = runs.map((measured) => [...measured].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds / 2)]!)
  return medians.map((measured, index) => ({ events: lengths[index]!, measured, ratio: measured.perSecond / medians[0]!.perSecond }))
}
