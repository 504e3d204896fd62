import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { LeftOut } from './unreadable-missions.tsx'

const textOf = (titles: readonly string[]) => renderToStaticMarkup(<LeftOut missions={titles.map((title, index) => ({ missionId: `urn:x:${index}`, title }))} />)

it('names each mission that the lists leave out, and is not there while they leave out none', () => {
  expect(textOf(['Release 1', 'Release\u200b 2'])).toMatch(/2 of your missions cannot be read now.*Release 1.*Release⟨U\+200B⟩ 2/s)
  expect(textOf(['Release 1'])).toContain('One of your missions cannot be read now')
  expect(textOf([])).toBe('')
})
