const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** "3 minutes ago", "in 2 hours", "now": the distance of two instants, both milliseconds since 1970. */
export function relativeWords(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  }
  return 'now'
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Seconds as a clock whose width changes only from one form to the next: "2 d 04 h", "1 h 04 min", "04:12". */
export function countdownWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole >= 86_400) return `${Math.floor(whole / 86_400)} d ${two(Math.floor((whole % 86_400) / 3_600))} h`
  if (whole >= 3_600) return `${Math.floor(whole / 3_600)} h ${two(Math.floor((whole % 3_600) / 60))} min`
  return `${two(Math.floor(whole / 60))}:${two(whole % 60)}`
}
