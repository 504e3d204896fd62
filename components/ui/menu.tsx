'use client'

import type { ReactNode } from 'react'
import { DropdownMenu } from 'radix-ui'

/** A menu that opens from its trigger; arrow keys, typing and Escape as everywhere. */
export function Menu({ trigger, children, align = 'end' }: { readonly trigger: ReactNode; readonly children: ReactNode; readonly align?: 'start' | 'end' }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          className="z-50 min-w-56 rounded-md border border-line bg-raised p-1 shadow-float motion-safe:animate-arrive"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const ITEM = 'row gap-2 rounded-sm px-2 text-14 outline-none select-none data-[highlighted]:bg-sunk data-[disabled]:opacity-50'

export function MenuItem({ children, onSelect, disabled = false }: { readonly children: ReactNode; readonly onSelect: () => void; readonly disabled?: boolean }) {
  return (
    <DropdownMenu.Item disabled={disabled} onSelect={onSelect} className={ITEM}>
      {children}
    </DropdownMenu.Item>
  )
}

/** Wraps a link so that the menu's keyboard reaches it. */
export function MenuLink({ children }: { readonly children: ReactNode }) {
  return (
    <DropdownMenu.Item asChild className={ITEM}>
      {children}
    </DropdownMenu.Item>
  )
}

export function MenuChoice<T extends string>({ label, value, options, onChange }: {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: ReactNode }[]
  readonly onChange: (value: T) => void
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      <DropdownMenu.Label className="px-2 pt-2 pb-1 text-12 text-muted">{label}</DropdownMenu.Label>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={ITEM}>
          <span aria-hidden className="grid size-4 place-items-center">
            <DropdownMenu.ItemIndicator className="size-1.5 rounded-full bg-current" />
          </span>
          {option.label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}

export const MenuSeparator = () => <DropdownMenu.Separator className="-mx-1 my-1 border-t" />
