'use client'

import { useEffect, useState } from 'react'
import { newUrn } from '../signing/command.ts'
import { serverNowMs } from '../ui/clock.ts'
import { emptyDraft, withExample, type MissionDraft } from './mission-draft.ts'

const STORED = 'countersign.draft.mission'

const fresh = (): MissionDraft => emptyDraft({ missionId: newUrn(), groupId: newUrn() }, serverNowMs())

// A draft of another version lacks members of this one; the fresh draft fills them.
function restored(): MissionDraft {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? 'null')
    return typeof stored === 'object' && stored !== null ? { ...fresh(), ...stored } : fresh()
  } catch {
    return fresh()
  }
}

export interface MissionDraftEditor {
  readonly draft: MissionDraft
  change(part: Partial<MissionDraft>): void
  fillExample(): void
  /** Forgets the draft: it was sent, or is not wanted. */
  discard(): void
}

/** The draft in this browser; survives a reload. Use only where no server rendering happens. */
export function useMissionDraft(): MissionDraftEditor {
  const [draft, setDraft] = useState(restored)
  useEffect(() => {
    try {
      localStorage.setItem(STORED, JSON.stringify(draft))
    } catch {
      // A draft that cannot be kept is still a draft.
    }
  }, [draft])
  return {
    draft,
    change: (part) => setDraft((current) => ({ ...current, ...part })),
    fillExample: () => setDraft(withExample),
    discard: () => setDraft(fresh()),
  }
}
