import { createHash, randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { link, mkdir, open, readFile, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ArtifactStore, StoredArtifact } from '../service/ports.ts'

/** The bytes under a name are not the bytes of that hash: the disk or somebody changed them. */
export class ArtifactDamaged extends Error {
  override readonly name = 'ArtifactDamaged'
  constructor(readonly contentHash: string) {
    super(`the stored bytes of ${contentHash} do not match it`)
  }
}

type ArtifactRecord = StoredArtifact & { readonly uploadedBy: string }

const CONTENT_HASH = /^sha256:([0-9a-f]{64})$/
/** What the disk keeps for the log and the system. */
const MINIMUM_FREE_BYTES = 512 * 1024 * 1024
const PIECE_BYTES = 256 * 1024
/** An upload that is still unfinished after a day was interrupted. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Content-addressed files: `ab/cd/<hash>` holds the bytes, `<hash>.json` beside it the media type and the first
 * uploader, and an empty `<hash>.from.<hash of an id>` each further one. The record is written last and its presence means that the bytes are complete and on the disk.
 */
export async function openArtifactFolder(folder: string, { minimumFreeBytes = MINIMUM_FREE_BYTES } = {}): Promise<ArtifactStore> {
  const incoming = join(folder, 'incoming')
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await removeAbandoned(incoming)

  async function openContent(contentHash: string): Promise<Readable | undefined> {
    const path = pathOf(folder, contentHash)
    const record = path === undefined ? undefined : await readRecord(path)
    return path === undefined || record === undefined ? undefined : openIntact(path, record)
  }

  return {
    async put(content, { mediaType, maxBytes, uploadedBy }) {
      const temporary = join(incoming, randomUUID())
      if ((await freeBytes(folder)) < minimumFreeBytes + maxBytes) return 'no-room'
      try {
        const received = await receive(content, temporary, maxBytes)
        if (received === 'too-large') return received
        const target = pathOf(folder, received.contentHash)!
        await makeFolders(folder, dirname(target))
        // Replaces equal bytes by equal bytes, or damaged ones by good ones.
        await rename(temporary, target)
        const { uploadedBy: first, ...stored } = await keepRecord(target, temporary, { ...received, mediaType, uploadedBy })
        if (first !== uploadedBy) await noteUploader(target, uploadedBy)
        await syncFolder(dirname(target))
        return stored
      } finally {
        await rm(temporary, { force: true })
      }
    },

    async find(contentHash) {
      const path = pathOf(folder, contentHash)
      return path === undefined ? undefined : readRecord(path)
    },

    async isFrom(contentHash, principalId) {
      const path = pathOf(folder, contentHash)
      const record = path === undefined ? undefined : await readRecord(path)
      return path !== undefined && record !== undefined && (record.uploadedBy === principalId || isThere(uploaderPath(path, principalId)))
    },

    open: openContent,

    async read(contentHash) {
      const content = await openContent(contentHash)
      return content && buffer(content)
    },
  }
}

/** A stream of the file, after all of it was hashed: whoever reads gets the right bytes or none. */
async function openIntact(path: string, { contentHash, sizeBytes }: ArtifactRecord): Promise<Readable> {
  const file = await open(path, 'r')
  try {
    const isIntact = (await file.stat()).size === sizeBytes && (await hashOf(file)) === contentHash
    if (!isIntact) throw new ArtifactDamaged(contentHash)
    return file.createReadStream({ start: 0, highWaterMark: PIECE_BYTES })
  } catch (cause) {
    await file.close()
    throw cause
  }
}

/** In pieces, between which everything else has its turn. */
async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const piece = new Uint8Array(PIECE_BYTES)
  for (let position = 0, bytesRead = -1; bytesRead !== 0; position += bytesRead) {
    ;({ bytesRead } = await file.read(piece, 0, piece.length, position))
    hash.update(piece.subarray(0, bytesRead))
  }
  return `sha256:${hash.digest('hex')}`
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Names come from a checked hash only, so that no input can leave the folder. */
function pathOf(folder: string, contentHash: string): string | undefined {
  const hex = CONTENT_HASH.exec(contentHash)?.[1]
  return hex === undefined ? undefined : join(folder, hex.slice(0, 2), hex.slice(2, 4), hex)
}

async function receive(content: AsyncIterable<Uint8Array>, path: string, maxBytes: number): Promise<{ contentHash: string; sizeBytes: number } | 'too-large'> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  return withFile(path, async (file) => {
    for await (const chunk of content) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > maxBytes) return 'too-large'
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
    return { contentHash: `sha256:${hash.digest('hex')}`, sizeBytes }
  })
}

/** The record that counts: a link does not replace one that is there, so the first upload's stays. */
async function keepRecord(path: string, temporary: string, record: ArtifactRecord): Promise<ArtifactRecord> {
  await withFile(temporary, async (file) => {
    await file.writeFile(JSON.stringify(record))
    await file.sync()
  })
  try {
    await link(temporary, `${path}.json`)
    return record
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw cause
    return (await readRecord(path)) ?? record
  }
}

const uploaderPath = (path: string, principalId: string): string => `${path}.from.${createHash('sha256').update(principalId).digest('hex')}`

async function noteUploader(path: string, principalId: string): Promise<void> {
  const file = await open(uploaderPath(path, principalId), 'a', 0o600)
  await file.close()
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return false
    throw cause
  }
}

async function readRecord(path: string): Promise<ArtifactRecord | undefined> {
  try {
    return JSON.parse(await readFile(`${path}.json`, 'utf8')) as ArtifactRecord
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return undefined
    throw cause
  }
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o600)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Makes `ab/cd` and sees to it that the new names survive a loss of power. */
async function makeFolders(folder: string, inner: string): Promise<void> {
  if ((await mkdir(inner, { recursive: true, mode: 0o700 })) === undefined) return
  await syncFolder(dirname(inner))
  await syncFolder(folder)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

const isCode = (cause: unknown, code: string) => cause instanceof Error && (cause as NodeJS.ErrnoException).code === code
