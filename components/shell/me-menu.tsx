'use client'

import Link from 'next/link'
import { useMutation } from '@tanstack/react-query'
import { KeyRound, LogOut, Scale, TriangleAlert } from 'lucide-react'
import { useTRPC, type SignedInPerson } from '../trpc.tsx'
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../ui/menu.tsx'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { useHeldKeys } from './use-held-keys.ts'

/** Who is signed in, whether this browser can sign for them, and the way out. */
export function MeMenu({ me }: { readonly me: SignedInPerson }) {
  const trpc = useTRPC()
  const signOut = useMutation(
    trpc.session.signOut.mutationOptions({
      // A fresh page: neither what the last person saw nor what they unlocked may be there for the next one.
      onSuccess: () => location.reload(),
    }),
  )
  const canDecide = useCanDecide(me)
  return (
    <Menu
      trigger={
        <button type="button" className="flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 hover:bg-sunk">
          <PrincipalMark id={me.principalId} />
          <bdi className="hidden max-w-40 truncate font-medium sm:inline">{visibleText(me.name)}</bdi>
          <span className="sr-only">, your menu</span>
        </button>
      }
    >
      <p className="px-2 pt-2 pb-1">
        <bdi className="font-medium">{visibleText(me.name)}</bdi>
        <span className="block text-12 text-muted">{me.isAdmin ? 'Administrator of this server' : 'Signed in'}</span>
      </p>
      <MenuLink>
        <Link href="/keys">
          {canDecide === false ? <TriangleAlert aria-hidden className="size-4 text-wait" /> : <KeyRound aria-hidden className="size-4" />}
          {canDecide === false ? 'No authority key in this browser' : 'Authority key in this browser'}
        </Link>
      </MenuLink>
      <MenuLink>
        <Link href="/policy">
          <Scale aria-hidden className="size-4" />
          Policy of this organization
        </Link>
      </MenuLink>
      <MenuSeparator />
      <MenuItem onSelect={() => signOut.mutate()}>
        <LogOut aria-hidden className="size-4" />
        Sign out
      </MenuItem>
    </Menu>
  )
}

/** Whether this browser holds a registered, unrevoked authority key of this person; undefined until known. */
export function useCanDecide(me: SignedInPerson): boolean | undefined {
  const held = useHeldKeys().data
  if (held === undefined) return undefined
  const valid = new Set(me.keys.filter((key) => key.use === 'authority' && key.revokedAt === undefined).map((key) => key.keyId))
  return held.some((key) => key.binding !== undefined && valid.has(key.binding.keyId))
}
