// The floor: a bare WebSocket server that only verifies a signature, signs an answer and commits in batches.
// It keeps no rules, so nothing that keeps rules can be expected to beat it; every figure of the authority is given as a ratio to it.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { WebSocketServer, type WebSocket } from 'ws'
import { connect } from '../server/store/connect.ts'

interface Pending { readonly socket: WebSocket; readonly actionId: string; readonly commandHash: string; readonly bytes: Buffer }

const maximumBatch = 32
const [databaseUrl = ''] = process.argv.slice(2)
const sql = connect(databaseUrl, 'postgres', 4)
await sql`create table if not exists floor_log (sequence bigint primary key, event bytea not null, command bytea not null)`
const [row] = await sql<{ head: number }[]>`select coalesce(max(sequence), 0)::int as head from floor_log`

const { privateKey } = generateKeyPairSync('ed25519')
const signer = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const keys = new Map<string, ReturnType<typeof createPublicKey>>()
let sequence = row?.head ?? 0
let queue: Pending[] = []
let isCommitting = false

function publicKeyOf(x: string) {
  const known = keys.get(x)
  if (known) return known
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  keys.set(x, key)
  return key
}

/** The frame of the load generator carries the public key, since the floor has no registry. */
async function receive(socket: WebSocket, data: Buffer): Promise<void> {
  const frame = JSON.parse(data.toString('utf8')) as { publicKey: string; command: Record<string, unknown> & { signature: { value: string }; actionId: string } }
  const { signature, ...unsigned } = frame.command
  const bytes = Buffer.from(canonicalize(unsigned) ?? '')
  const isValid = await new Promise<boolean>((done) => {
    verify(null, bytes, publicKeyOf(frame.publicKey), Buffer.from(signature.value, 'base64url'), (error, ok) => done(!error && ok))
  })
  if (!isValid) return socket.close(4000)
  queue.push({ socket, actionId: frame.command.actionId, commandHash: createHash('sha256').update(bytes).digest('hex'), bytes: data })
  if (!isCommitting) void commit()
}

async function commit(): Promise<void> {
  isCommitting = true
  while (queue.length > 0) {
    const batch = queue.slice(0, maximumBatch)
    queue = queue.slice(maximumBatch)
    const answers = batch.map(answer)
    await sql`insert into floor_log ${sql(answers.map(({ sequence, event }, index) => ({ sequence, event, command: batch[index]!.bytes })))}`
    batch.forEach(({ socket }, index) => socket.send(`{"frameType":"EVENT","event":${answers[index]?.event.toString('utf8')}}`))
  }
  isCommitting = false
}

function answer({ actionId, commandHash }: Pending) {
  sequence += 1
  const event = { eventId: `urn:uuid:${randomUUID()}`, sequence, cause: { type: 'command', id: actionId }, commandHash, occurredAt: new Date().toISOString(), payload: {} }
  const value = sign(null, Buffer.from(canonicalize(event) ?? ''), signer).toString('base64url')
  return { sequence, event: Buffer.from(JSON.stringify({ ...event, signature: { value } })) }
}

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.on('connection', (socket) => socket.on('message', (data) => void receive(socket, data as Buffer)))
server.on('listening', () => {
  const address = server.address()
  process.send?.({ type: 'listening', port: typeof address === 'object' && address ? address.port : 0 })
})
process.on('disconnect', () => process.exit(0))
