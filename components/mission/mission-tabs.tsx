'use client'

import { ViewTabs } from '../shell/view-tabs.tsx'
import { useMission } from './mission-context.tsx'
import { MISSION_TABS, missionPath } from './mission-paths.ts'

/** The six views of a Mission. */
export function MissionTabs() {
  const { missionId } = useMission()
  return <ViewTabs label="Views of this mission" views={MISSION_TABS.map(({ path, label }) => ({ address: missionPath(missionId, path), label }))} />
}
