/** As much of an element as giving it the focus takes. */
export type Focusable = Pick<HTMLElement, 'isConnected' | 'tagName' | 'focus'>

/**
 * What a dialog gives the focus back to: what had it as the dialog opened, while that is still in the page. An item of a menu is
 * gone by then; the button of the menu asks for the focus a moment later, and is taken in its place.
 */
export function openerOf<T extends Focusable>(known: T | undefined, focused: T | null): T | undefined {
  if (known?.isConnected) return known
  return focused === null || focused.tagName === 'BODY' ? undefined : focused
}
