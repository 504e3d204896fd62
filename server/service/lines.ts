const LINE_FEED = 0x0a

/** A line that nobody reads to its end: what the file is, it is not what was expected. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'

  constructor(maximumBytes: number) {
    super(`a line has more than ${maximumBytes} bytes`)
  }
}

/**
 * The lines of a stream without their line feeds, one at a time; the last one is what stands behind the last line feed. Throws
 * LineTooLong at a line of more than `maximumBytes`.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>, maximumBytes: number): AsyncGenerator<Uint8Array, void, void> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      if (size + at - from > maximumBytes) throw new LineTooLong(maximumBytes)
      yield Buffer.concat([...parts, chunk.subarray(from, at)])
      parts = []
      size = 0
      from = at + 1
    }
    size += chunk.length - from
    if (size > maximumBytes) throw new LineTooLong(maximumBytes)
    parts.push(chunk.subarray(from))
  }
  yield Buffer.concat(parts)
}
