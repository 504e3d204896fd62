// Contrast of the colour tokens, computed from the stylesheet itself: WCAG 2.2 success criteria 1.4.3, 1.4.6 and 1.4.11.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Mode = 'light' | 'dark'
type Oklch = readonly [lightness: number, chroma: number, hue: number]

const css = readFileSync(new URL('../../app/globals.css', import.meta.url), 'utf8')
const TOKEN = /--color-([a-z-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)/g

const tokens = new Map<string, Record<Mode, Oklch>>(
  [...css.matchAll(TOKEN)].map(([, name = '', light = '', dark = '']) => [name, { light: numbers(light), dark: numbers(dark) }]),
)

function numbers(text: string): Oklch {
  const [lightness = 0, chroma = 0, hue = 0] = text.split(' ').map(Number)
  return [lightness, chroma, hue]
}

/** Relative luminance of an OKLCH colour, clipped to sRGB. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(mode: Mode, a: string, b: string): number {
  const [first, second] = [a, b].map((name) => luminance(tokens.get(name)![mode])) as [number, number]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

const modes: readonly Mode[] = ['light', 'dark']
const surfaces = ['paper', 'raised', 'sunk', 'talk'] as const
const pairs = (texts: readonly string[], grounds: readonly string[]) => modes.flatMap((mode) => texts.flatMap((text) => grounds.map((ground) => [mode, text, ground] as const)))

describe('colour tokens', () => {
  it('has a light and a dark value for every colour used here', () => {
    expect([...tokens.keys()]).toEqual(expect.arrayContaining(['ink', 'muted', 'past', 'action', 'on-action', 'seal', 'wait', 'fail', 'edge', ...surfaces]))
  })

  it.each(pairs(['ink', 'muted', 'past', 'action', 'seal', 'wait', 'fail'], surfaces))('%s: %s on %s is readable (AA, 4.5)', (mode, text, ground) => {
    expect(contrast(mode, text, ground)).toBeGreaterThanOrEqual(4.5)
  })

  it.each([
    ...pairs(['on-action'], ['action', 'action-strong']),
    ...pairs(['wait', 'ink', 'muted'], ['wait-wash']),
    ...pairs(['fail', 'ink', 'muted'], ['fail-wash']),
    ...pairs(['action', 'ink'], ['action-wash']),
  ])('%s: %s on %s is readable (AA, 4.5)', (mode, text, ground) => {
    expect(contrast(mode, text, ground)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(pairs(['ink', 'muted'], ['paper', 'raised']))('%s: %s on %s suits the approval screen (AAA, 7)', (mode, text, ground) => {
    expect(contrast(mode, text, ground)).toBeGreaterThanOrEqual(7)
  })

  it.each(pairs(['edge'], ['paper', 'raised']))('%s: borders of controls (%s) stand out on %s (3)', (mode, text, ground) => {
    expect(contrast(mode, text, ground)).toBeGreaterThanOrEqual(3)
  })
})
