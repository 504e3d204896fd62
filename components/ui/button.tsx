import type { ComponentProps, ReactNode } from 'react'
import { LoaderCircle } from 'lucide-react'
import { classNames } from './class-names.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md text-14 font-medium whitespace-nowrap select-none ' +
  'transition-colors disabled:cursor-not-allowed disabled:opacity-50'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-action text-on-action enabled:hover:bg-action-strong',
  secondary: 'border border-edge bg-raised text-ink enabled:hover:bg-sunk',
  quiet: 'text-action enabled:hover:bg-action-wash',
  danger: 'border border-fail bg-raised text-fail enabled:hover:bg-fail-wash',
}

/** Look of a button, for a link that leads somewhere instead of doing something. */
export const buttonClass = (variant: ButtonVariant = 'secondary', size: 'md' | 'lg' = 'md'): string =>
  classNames(BASE, size === 'md' ? 'h-8 px-3' : 'h-10 px-4', VARIANTS[variant])

export interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: ButtonVariant
  readonly size?: 'md' | 'lg'
  /** Keeps width and focus, refuses clicks, shows work in progress. */
  readonly busy?: boolean
  readonly icon?: ReactNode
}

export function Button({ variant = 'secondary', size = 'md', busy = false, icon, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classNames(buttonClass(variant, size), className)}
    >
      {busy ? <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" /> : icon}
      {children}
    </button>
  )
}

export interface IconButtonProps extends ComponentProps<'button'> {
  /** What it does, in words: name for assistive technology and tooltip. */
  readonly label: string
}

export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={classNames(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors',
        'enabled:hover:bg-sunk enabled:hover:text-ink disabled:opacity-50',
        className,
      )}
    >
      {children}
    </button>
  )
}
