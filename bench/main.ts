// `npm run bench`: signed message.post commands accepted durably per second, beside a floor driven by the same client in the same run.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { openEmbedded } from '../server/store/embedded/open-embedded.ts'
import { startChild, type Child } from './child.ts'
import { type HistoryRow, measureHistory } from './history.ts'
import { type DoorFigures, measureDoors } from './open-spaces.ts'
import { type InterAgentFigures, measureInterAgent } from './inter-agent.ts'
import { drive, openSocket, type Lane, type Measured } from './load.ts'
import { measureReplay } from './replay.ts'
import { connect, prepare, signFrames, type Workplace } from './workplace.ts'

interface Scenario { readonly name: string; readonly connections: number; readonly inFlight: number; readonly perConnection: number }
interface Row { readonly store: string; readonly scenario: string; readonly authority: Measured; readonly floor: Measured; readonly ratio: number }

const missions = 32
const replayEvents = 10_000
/** As `npm run up` starts the server. */
const nodeOptions = ['--max-semi-space-size=32']
const scenarios: readonly Scenario[] = [
  { name: '1 connection, 1 in flight', connections: 1, inFlight: 1, perConnection: 400 },
  { name: '1 connection, 32 in flight', connections: 1, inFlight: 32, perConnection: 2_000 },
  { name: '32 connections on 32 missions, 1 in flight each', connections: missions, inFlight: 1, perConnection: 150 },
  { name: '32 connections on 32 missions, 8 in flight each', connections: missions, inFlight: 8, perConnection: 250 },
]

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' }, history: { type: 'boolean', default: false }, doors: { type: 'boolean', default: false }, store: { type: 'string', multiple: true, default: ['postgresql', 'embedded'] } },
})
const rounds = Number(options.rounds)

/** A database to measure on: one of a PostgreSQL server, or a fresh embedded cluster. */
async function openDatabase(store: string, folder: string): Promise<{ url: string; close(): Promise<void> }> {
  if (store === 'embedded') {
    const embedded = await openEmbedded(join(folder, 'floor'))
    if (embedded.kind !== 'postgres') throw new Error(`the embedded PostgreSQL cannot run here: ${embedded.notice ?? ''}`)
    return { url: embedded.url, close: () => embedded.stop() }
  }
  const server = process.env.BENCH_DATABASE_URL ?? process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const name = `countersign_bench_${process.pid}_${Date.now()}`
  const admin = postgres(server, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async close() {
      await admin.unsafe(`drop database if exists ${name} with (force)`)
      await admin.end()
    },
  }
}

async function measure(scenario: Scenario, workplace: Workplace, floorUrl: string): Promise<{ authority: Measured; floor: Measured }> {
  const agents = workplace.agents.slice(0, scenario.connections)
  const floor: Lane[] = []
  const authority: Lane[] = []
  for (const agent of agents) {
    const { socket, sessionEpoch } = await connect(workplace.url, agent)
    authority.push({ socket, frames: await signFrames(agent, sessionEpoch, scenario.perConnection, false) })
    floor.push({ socket: await openSocket(floorUrl), frames: await signFrames(agent, sessionEpoch, scenario.perConnection, true) })
  }
  const results = { floor: await drive(floor, scenario.inFlight), authority: await drive(authority, scenario.inFlight) }
  for (const { socket } of [...floor, ...authority]) socket.terminate()
  return results
}

/** The round whose rate is the middle one. */
function median(measured: readonly Measured[]): Measured {
  return [...measured].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(measured.length / 2)]!
}

interface StoreResult { readonly rows: readonly Row[]; readonly replay?: { readonly events: number; readonly perSecond: number }; readonly history?: readonly HistoryRow[]; readonly doors?: DoorFigures; readonly interAgent?: InterAgentFigures }

/** The loads and the replay, or with `--history` the cost of a long history alone, or with `--doors` the other doors alone. */
async function benchStore(store: string): Promise<StoreResult> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  // As root, PostgreSQL runs under another account, which has to come through.
  await chmod(folder, 0o711)
  const database = await openDatabase(store, folder)
  const stopping: Child[] = []
  try {
    const floor = await startChild([...nodeOptions, '--import', 'tsx', 'bench/floor-server.ts', database.url])
    const dataDir = join(folder, 'data')
    const authority = await startChild([...nodeOptions, 'dist/server.js'], { DATA_DIR: dataDir, PORT: '0', COUNTERSIGN_NO_CONSOLE: '1', LOG_LEVEL: 'error', DATABASE_URL: store === 'embedded' ? '' : database.url })
    stopping.push(floor, authority)
    if (options.doors) return { rows: [], interAgent: await measureInterAgent(dataDir), doors: await measureDoors(dataDir, authority.pid) }
    const workplace = await prepare(dataDir, missions)
    const floorUrl = `ws://127.0.0.1:${String(floor.message.port)}`
    if (options.history) return { rows: [], history: await measureHistory(workplace, rounds) }
    const rows: Row[] = []
    for (const scenario of scenarios) {
      await measure({ ...scenario, perConnection: Math.ceil(scenario.perConnection / 2) }, workplace, floorUrl)
      const runs = []
      for (let round = 0; round < rounds; round += 1) runs.push(await measure(scenario, workplace, floorUrl))
      const result = { authority: median(runs.map((run) => run.authority)), floor: median(runs.map((run) => run.floor)) }
      rows.push({ store, scenario: scenario.name, ...result, ratio: result.authority.perSecond / result.floor.perSecond })
    }
    return { rows, replay: await measureReplay(workplace.url, workplace.agents[0]!, replayEvents) }
  } finally {
    for (const child of stopping) await child.stop()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
const results = []
for (const store of options.store) results.push({ store, ...(await benchStore(store)) })

if (options.json) {
  console.log(JSON.stringify({ machine, rounds, results }, undefined, 2))
} else {
  console.log(`${machine}; median of ${rounds} interleaved rounds\n`)
  for (const { store, rows, replay, history = [], doors, interAgent } of results) {
    if (doors) printDoors(store, doors)
    for (const { name, targetMs, p50Ms, p95Ms } of interAgent?.latencies ?? []) console.log(`${store}: I.A.P. ${name}   p50 ${p50Ms.toFixed(1)} ms   p95 ${p95Ms.toFixed(1)} ms${Number.isNaN(targetMs) ? '' : `   wanted below ${targetMs}`}`)
    for (const { scenario, authority, floor, ratio } of rows) {
      console.log(`${store}: ${scenario}`)
      for (const [name, m] of [['authority', authority], ['floor', floor]] as const) {
        console.log(`  ${name.padEnd(10)} ${m.perSecond.toFixed(0).padStart(6)}/s   p50 ${m.p50Ms.toFixed(1)} ms   p95 ${m.p95Ms.toFixed(1)} ms   p99 ${m.p99Ms.toFixed(1)} ms`)
      }
      console.log(`  ratio      ${ratio.toFixed(2)}`)
    }
    if (replay) console.log(`${store}: replay of ${replay.events} Events ${replay.perSecond.toFixed(0)}/s\n`)
    for (const { events, measured, ratio } of history) {
      console.log(`${store}: after ${events} Events ${measured.perSecond.toFixed(0)}/s   p50 ${measured.p50Ms.toFixed(1)} ms   p99 ${measured.p99Ms.toFixed(1)} ms   ${ratio.toFixed(2)} of the shortest`)
    }
  }
}

function printDoors(store: string, { sends, reads, burst }: DoorFigures): void {
  for (const { name, perSecond, p50Ms, p95Ms } of sends) console.log(`${store}: IOA send, ${name} ${perSecond.toFixed(0)}/s   p50 ${p50Ms.toFixed(1)} ms   p95 ${p95Ms.toFixed(1)} ms`)
  for (const { name, p50Ms, p95Ms } of reads) console.log(`${store}: IOA read, ${name}   p50 ${p50Ms.toFixed(1)} ms   p95 ${p95Ms.toFixed(1)} ms`)
  const { listeners, messages, missing, seconds, serverMiB, peakMiB, missingAfterResume } = burst
  console.log(`${store}: ${messages} Messages to ${listeners} listeners in ${seconds.toFixed(1)} s, ${missing} missing; server ${serverMiB.toFixed(0)} MiB before, ${peakMiB.toFixed(0)} MiB at most; ${missingAfterResume} missing after a stalled listener resumed`)
}
