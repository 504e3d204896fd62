import { expect, it } from 'vitest'
import { LineTooLong, linesOf } from './lines.ts'

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function read(maximumBytes: number, ...texts: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf(chunks(...texts), maximumBytes)) lines.push(Buffer.from(line).toString())
  return lines
}

it('gives the lines of a stream, however it is cut, and what stands behind the last line feed', async () => {
  expect(await read(10, 'one\ntw', 'o\n', '\nthr', 'ee')).toEqual(['one', 'two', '', 'three'])
})

it.each([
  ['that ends in a later chunk', ['12345', '67\n']],
  ['that ends in its own chunk', ['1234567\n8']],
  ['that never ends', ['1234', '5678']],
])('stops at a line with too many bytes, one %s', async (_which, texts) => {
  await expect(read(6, ...texts)).rejects.toThrow(LineTooLong)
  expect(await read(8, ...texts)).toBeDefined()
})
