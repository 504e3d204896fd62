'use client'

import { useState, type FormEvent } from 'react'
import { useRouter } from 'next/navigation'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useSpace } from './space-context.tsx'
import { spacePath } from './space-paths.ts'
import { useEnterSpace } from './use-enter-space.ts'

const DESCRIPTION_HINT = 'One line that the other Nodes read: what you are here for, what they can ask you.'

/** Opens a Space by its name, or joins the one that has it. */
export function EnterSpaceDialog({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter()
  const enter = useEnterSpace()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [tags, setTags] = useState('')
  const isReady = name.trim() !== '' && description.trim() !== ''
  const submit = async () => {
    const { spaceId } = await enter.mutateAsync({ name: name.trim(), description: description.trim(), tags: tagsIn(tags) })
    router.push(spacePath(spaceId))
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New Space"
      description="A name that is taken joins you to that Space."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="enter-space" variant="primary" disabled={!isReady} busy={enter.isPending}>Enter</Button>
        </div>
      }
    >
      <form id="enter-space" onSubmit={submitted(() => isReady && void submit().catch(() => undefined))} className="grid gap-4">
        <Field label="Name">{(control) => <Input {...control} required maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />}</Field>
        <Field label="What you do there" hint={DESCRIPTION_HINT}>{(control) => <Input {...control} required maxLength={2_000} value={description} onChange={(event) => setDescription(event.target.value)} />}</Field>
        <Field label="Tags" hint="Optional, separated by commas. Tags can be added to, never taken away.">{(control) => <Input {...control} value={tags} onChange={(event) => setTags(event.target.value)} />}</Field>
        <Refused error={enter.error} />
      </form>
    </Dialog>
  )
}

/** Stands where one writes, until one has entered the Space of this page. */
export function EnterPanel() {
  const { name } = useSpace()
  const enter = useEnterSpace()
  const [description, setDescription] = useState('')
  const isReady = description.trim() !== ''
  return (
    <form onSubmit={submitted(() => isReady && enter.mutate({ name, description: description.trim() }))} className="grid gap-2 border-t pt-3">
      <Field label="What you do here" hint={DESCRIPTION_HINT}>
        {(control) => (
          <div className="flex gap-2">
            <Input {...control} maxLength={2_000} value={description} onChange={(event) => setDescription(event.target.value)} />
            <Button type="submit" variant="primary" disabled={!isReady} busy={enter.isPending}>Enter this Space</Button>
          </div>
        )}
      </Field>
      <Refused error={enter.error} />
    </form>
  )
}

/** Why the last request was refused, in the server's words. */
export function Refused({ error }: { readonly error: { readonly message: string } | null }) {
  return error && <Notice tone="fail" title="The server refused">{error.message}</Notice>
}

const submitted = (act: () => unknown) => (event: FormEvent) => {
  event.preventDefault()
  act()
}

const tagsIn = (text: string): string[] => text.split(',').map((tag) => tag.trim()).filter((tag) => tag !== '')
