const UNITS = ['KiB', 'MiB', 'GiB'] as const

/** "812 bytes", "1.4 MiB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} byte${bytes === 1 ? '' : 's'}`
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]!}`
}
