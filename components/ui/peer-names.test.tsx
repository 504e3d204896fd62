import { readdirSync, readFileSync } from 'node:fs'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PrincipalName } from './principal-mark.tsx'
import { TalkBubble } from './talk-bubble.tsx'

/** To the eye "Olga", "evil agent" and nothing at all. */
const names = ['Olga\u200b', '\u202etnega live\u202c', '\u2060']

describe('the name of a peer', () => {
  it.each(names)('hides nothing, beside its mark and above its words: %j (8.5)', (name) => {
    const shown = [...name].map((character) => (/[\u200b\u202c\u202e\u2060]/.test(character) ? `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase()}⟩` : character)).join('')
    expect(renderToStaticMarkup(<PrincipalName id="urn:x:peer" name={name} />)).toContain(`>${shown}</bdi>`)
    expect(renderToStaticMarkup(<TalkBubble author={{ id: 'urn:x:peer', name }} time={null}>Hello</TalkBubble>)).toContain(`>${shown}</bdi>`)
  })
})

const components = new URL('..', import.meta.url)
const sources = readdirSync(components, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx') && !path.endsWith('.test.tsx'))
/** Every `<bdi>` with a value in it. Whatever a peer wrote is isolated by one. */
const isolated = sources.flatMap((path) => [...readFileSync(new URL(path, components), 'utf8').matchAll(/<bdi\b(?:\{[^}]*\}|=>|[^>])*>(.*?)<\/bdi>/gs)].map(([, inner = '']) => [path, inner] as const)).filter(([, inner]) => inner.includes('{'))

describe('a text that a component isolates', () => {
  it('has its hidden characters written out, wherever it stands (8.5)', () => {
    expect(isolated.length).toBeGreaterThan(100)
    expect(isolated.filter(([, inner]) => !inner.includes('visibleText('))).toEqual([])
  })
})
