'use client'

import { useState } from 'react'
import { Ban, Coins, Ellipsis, UserRoundCog } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { AssignCoordinatorDialog } from './assign-coordinator.tsx'
import { CancelDialog } from './cancel-mission.tsx'
import { useMission } from './mission-context.tsx'
import { RaiseBudgetDialog } from './raise-budget.tsx'

/** What only the owner of a Mission may do besides deciding on its result. */
export function OwnerMenu() {
  const [isOpen, setOpen] = useState<'assign' | 'budget' | 'cancel'>()
  const { state } = useMission()
  const close = () => setOpen(undefined)
  return (
    <>
      <Menu trigger={<IconButton label="More about this mission"><Ellipsis aria-hidden className="size-4" /></IconButton>}>
        <MenuItem onSelect={() => setOpen('assign')}><UserRoundCog aria-hidden className="size-4" />Put an agent in charge</MenuItem>
        {state === 'active' && <MenuItem onSelect={() => setOpen('budget')}><Coins aria-hidden className="size-4" />Raise the budget</MenuItem>}
        <MenuItem onSelect={() => setOpen('cancel')}><Ban aria-hidden className="size-4" />Cancel this mission</MenuItem>
      </Menu>
      {isOpen === 'assign' && <AssignCoordinatorDialog onClose={close} />}
      {isOpen === 'budget' && <RaiseBudgetDialog onClose={close} />}
      {isOpen === 'cancel' && <CancelDialog onClose={close} />}
    </>
  )
}
