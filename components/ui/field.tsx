'use client'

import { useId, type ComponentProps, type ReactNode } from 'react'
import { CircleAlert } from 'lucide-react'
import { classNames } from './class-names.ts'

/** Attributes that tie a control to its label, hint and error. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

export interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** What is wrong and what would be right. */
  readonly error?: string | undefined
  /** Keeps the label for assistive technology only, where the place already says it. */
  readonly hideLabel?: boolean
  readonly className?: string
  readonly children: (control: ControlProps) => ReactNode
}

/** A labelled control with its hint and its error in words. */
export function Field({ label, hint, error, hideLabel = false, className, children }: FieldProps) {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={classNames('grid content-start gap-1', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-13 font-medium text-ink'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error === undefined ? undefined : true })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-12 text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="flex items-start gap-1 text-12 text-fail">
          <CircleAlert aria-hidden className="mt-0.5 size-3 shrink-0" />
          {error}
        </p>
      )}
    </div>
  )
}

const CONTROL =
  'w-full rounded-md border border-edge bg-raised px-2 text-14 text-ink placeholder:text-past ' +
  'disabled:opacity-50 aria-invalid:border-fail'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input dir="auto" {...rest} className={classNames(CONTROL, 'h-8', className)} />
}

export function TextArea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return <textarea dir="auto" rows={rows} {...rest} className={classNames(CONTROL, 'resize-y py-1.5', className)} />
}

export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <select {...rest} className={classNames(CONTROL, 'h-8 pr-1', className)}>
      {children}
    </select>
  )
}

/** A box to tick with its words beside it. */
export function Checkbox({ children, className, ...rest }: ComponentProps<'input'>) {
  return (
    <label className={classNames('inline-flex items-start gap-2 text-14', className)}>
      <input type="checkbox" {...rest} className="mt-0.5 size-4 shrink-0 accent-action" />
      <span>{children}</span>
    </label>
  )
}
