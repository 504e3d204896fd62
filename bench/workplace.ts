// Prepares an authority for measuring: an owner, Agents, and one Mission for each Agent, all through the public doors.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { encodeBase64url } from '../protocol/base64url.ts'
import type { Policy } from '../protocol/generated/types.ts'
import { publicKeyOf } from '../protocol/ed25519-sign.ts'
import { buildCommand, HumanClient, Identity, missionConversation, newId } from '../sdk/index.ts'
import { shakeHands } from '../sdk/shake-hands.ts'
import type { Frame } from './load.ts'

export interface Workplace { readonly url: string; readonly agents: readonly BenchAgent[] }
export interface BenchAgent { readonly identity: Identity; readonly publicKey: string; readonly groupId: string }

interface ServerFile { readonly address: string; readonly adminToken: string }

const readServerFile = async (dataDir: string): Promise<ServerFile> => JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')) as ServerFile

/** A command of `npm run admin`, to the server of this data folder. */
export async function callAdmin<T>(dataDir: string, command: string, args: object): Promise<T> {
  const { address, adminToken } = await readServerFile(dataDir)
  const response = await fetch(`${address}/api/admin`, { method: 'POST', headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }, body: JSON.stringify({ command, args }) })
  if (!response.ok) throw new Error(`${command}: ${await response.text()}`)
  return ((await response.json()) as { result: T }).result
}

/** One Agent per Mission, each Coordinator of its own, so that every connection writes to another Space. */
export async function prepare(dataDir: string, missions: number): Promise<Workplace> {
  const { address } = await readServerFile(dataDir)
  const admin = <T>(command: string, args: object) => callAdmin<T>(dataDir, command, args)
  const { link } = await admin<{ link: string }>('invite create', { isAdmin: true })
  const owner = await HumanClient.enrol(address, { token: new URL(link).hash.slice(1), name: 'Owner' })
  const agents: BenchAgent[] = []
  for (let index = 0; index < missions; index += 1) {
    const seed = randomBytes(32)
    const publicKey = encodeBase64url(publicKeyOf(seed))
    const { agentId, keyId } = await admin<{ agentId: string; keyId: string }>('agent add', { name: `Agent ${index}`, publicKey, capabilities: [{ id: 'countersign.coordination', version: '1.0.0' }] })
    const { groupId } = await owner.createMission(missionPlan(agentId))
    agents.push({ identity: new Identity({ type: 'agent', id: agentId }, keyId, seed), publicKey, groupId })
  }
  const { spaceId, policy } = await admin<{ spaceId: string; policy: Policy }>('policy show', {})
  const unhindered = { ...policy, version: policy.version + 1, limits: { ...policy.limits, messagesPerMinute: 100_000 } }
  await owner.submit('ext.countersign.policy.change', { policy: unhindered, reason: 'What is measured here is no cooperation.' }, { groupId: spaceId, membershipEpoch: 1, expectedRevision: policy.version })
  return { url: `${address.replace(/^http/, 'ws')}/mwp`, agents }
}

const missionPlan = (coordinatorAgentId: string) => ({
  title: 'Bench',
  objective: 'Take messages.',
  coordinatorAgentId,
  definitionOfDone: [{ criterionId: 'none', description: 'Nothing is delivered here.', evidenceRequired: ['human_review' as const] }],
  budget: { toolCallLimit: 1 },
  deadline: new Date(Date.now() + 86_400_000).toISOString(),
  coordinatorLeaseSeconds: 86_400,
})

export async function connect(url: string, { identity }: BenchAgent): Promise<{ socket: WebSocket; sessionEpoch: number }> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const { sessionEpoch } = await shakeHands(socket, identity)
  return { socket, sessionEpoch }
}

/** Signed `message.post` frames of about 1 KB. `publicKey` rides along for the floor, which has no registry. */
export async function signFrames(agent: BenchAgent, sessionEpoch: number, count: number, isForFloor: boolean): Promise<Frame[]> {
  const frames: Frame[] = []
  for (let index = 0; index < count; index += 1) {
    const target = { groupId: agent.groupId, conversationId: missionConversation(agent.groupId), sessionEpoch, membershipEpoch: 1 }
    const { command, bytes } = await buildCommand(agent.identity, 'message.post', { messageId: newId(), content: [{ type: 'text', text: 'x'.repeat(200) }] }, target)
    const body = Buffer.from(bytes).toString('utf8')
    const text = isForFloor ? `{"publicKey":"${agent.publicKey}","command":${body}}` : `{"protocolVersion":"0.1","frameId":"${newId()}","frameType":"COMMAND","command":${body}}`
    frames.push({ actionId: command.actionId, text })
  }
  return frames
}
