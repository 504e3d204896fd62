'use client'

import { useRef, type ReactNode } from 'react'
import { X } from 'lucide-react'
import { Dialog as Primitive } from 'radix-ui'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { openerOf } from './opener.ts'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  /** One sentence under the title; also what assistive technology reads on opening. */
  readonly description: ReactNode
  readonly children: ReactNode
  readonly width?: 'narrow' | 'wide'
  /** Where the keyboard lands on opening; without it, the dialog's own frame, so that no key press can act by accident. */
  readonly initialFocus?: 'frame' | 'first-control'
  /** False while work that must not be abandoned half-way is under way. */
  readonly dismissible?: boolean
  /** Stays in view under the scrolling content. */
  readonly footer?: ReactNode
}

/**
 * Modal dialog: focus is kept inside and returned on closing, Escape closes, content scrolls between title and footer. A press beside
 * it does not close it: what was typed would be lost by a slip.
 */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, children, width = 'narrow', initialFocus = 'first-control', dismissible = true } = props
  // No dialog here has a trigger that the primitive knows, so it would return the focus to nothing.
  const opener = useRef<HTMLElement>(undefined)
  const notice = (focused: Element | null) => {
    opener.current = openerOf(opener.current, focused instanceof HTMLElement ? focused : null)
  }
  return (
    <Primitive.Root open={open} onOpenChange={(next) => (next || dismissible) && onOpenChange(next)}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Primitive.Content
          onPointerDownOutside={(event) => event.preventDefault()}
          onBlur={({ relatedTarget, currentTarget }) => currentTarget.contains(relatedTarget) || notice(relatedTarget)}
          onCloseAutoFocus={() => opener.current?.focus()}
          onOpenAutoFocus={(event) => {
            notice(document.activeElement)
            if (initialFocus === 'first-control') return
            event.preventDefault()
            ;(event.currentTarget as HTMLElement).focus()
          }}
          className={classNames(
            'fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[92dvh] flex-col rounded-t-lg border border-line bg-raised shadow-float outline-none motion-safe:animate-arrive',
            'sm:inset-x-4 sm:top-1/2 sm:bottom-auto sm:max-h-[88dvh] sm:-translate-y-1/2 sm:rounded-md',
            width === 'narrow' ? 'sm:max-w-lg' : 'sm:max-w-3xl',
          )}
        >
          <header className="flex items-start gap-4 border-b px-6 py-4">
            <div className="min-w-0 flex-1">
              <Primitive.Title className="text-16 font-semibold">{title}</Primitive.Title>
              <Primitive.Description className="mt-1 text-13 text-muted">{description}</Primitive.Description>
            </div>
            {dismissible && (
              <Primitive.Close asChild>
                <IconButton label="Close" className="-mt-1 -mr-2">
                  <X aria-hidden className="size-4" />
                </IconButton>
              </Primitive.Close>
            )}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-6 py-4">{children}</div>
          {props.footer !== undefined && <footer className="border-t px-6 py-4">{props.footer}</footer>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}
