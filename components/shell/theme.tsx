'use client'

import { useState } from 'react'
import { Monitor, Moon, Sun } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'
import { Menu, MenuChoice } from '../ui/menu.tsx'
import { THEME_COOKIE, type Theme } from './theme-cookie.ts'

const YEAR_SECONDS = 31_536_000

const THEMES = [
  { value: 'system', label: 'As the system', Icon: Monitor },
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
] as const

function applyTheme(theme: Theme): void {
  const root = document.documentElement
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
}

export function ThemeMenu({ initial }: { readonly initial: Theme }) {
  const [theme, setTheme] = useState(initial)
  const { Icon } = THEMES.find(({ value }) => value === theme) ?? THEMES[0]
  return (
    <Menu
      trigger={
        <IconButton label="Colours">
          <Icon aria-hidden className="size-4" />
        </IconButton>
      }
    >
      <MenuChoice<Theme>
        label="Colours"
        value={theme}
        options={THEMES}
        onChange={(next) => {
          setTheme(next)
          applyTheme(next)
        }}
      />
    </Menu>
  )
}
