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
