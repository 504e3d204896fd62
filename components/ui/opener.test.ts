import { describe, expect, it } from 'vitest'
import { openerOf, type Focusable } from './opener.ts'

const element = (tagName: string, isConnected = true): Focusable => ({ tagName, isConnected, focus: () => undefined })
const button = element('BUTTON')

describe('what a dialog gives the focus back to', () => {
  it('is what had it as the dialog opened, whatever gets it later', () => {
    expect(openerOf(openerOf(undefined, button), element('INPUT'))).toBe(button)
  })

  it.each([
    ['has gone with its menu', element('DIV', false)],
    ['was already gone, so that the whole page had the focus', undefined],
  ])('is the button of the menu where the item %s', (_, known) => {
    expect(openerOf(known, button)).toBe(button)
  })

  it('is never the whole page', () => {
    expect([openerOf(undefined, element('BODY')), openerOf(undefined, null)]).toEqual([undefined, undefined])
  })
})
