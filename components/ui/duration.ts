const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/**
 * "3 minutes ago", "in 2 hours", "now": the distance of two instants, both milliseconds since 1970. What is past is told in whole
 * units; what is to come in the nearest ones, so that thirty days are still thirty a second later.
 */
export function relativeWords(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  // To the minute first, so that one second less than an hour is told as an hour and not as sixty minutes.
  const told = seconds < 60 ? seconds : Math.round(seconds / 60) * 60
  for (const [unit, size] of UNITS) {
    if (Math.abs(told) >= size) return relative.format(told < 0 ? Math.trunc(told / size) : Math.round(told / size), unit)
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
