'use client'

import { useMission } from '../mission/mission-context.tsx'
import type { Selection } from '../mission/selection.ts'
import { ArtifactInspector } from './artifact-inspector.tsx'
import { EntryInspector } from './entry-inspector.tsx'
import { InspectorPanel } from './inspector-panel.tsx'
import { PersonInspector } from './person-inspector.tsx'
import { WorkInspector } from './work-inspector.tsx'

/** What is selected in a Mission, in every tab the same. */
export function Inspector() {
  return <InspectorPanel titles={TITLES}>{(selection) => <Selected selection={selection} />}</InspectorPanel>
}

const TITLES: Readonly<Record<Selection['type'], string>> = { entry: 'Entry of the log', artifact: 'Artifact', id: 'Selected' }

function Selected({ selection }: { readonly selection: Selection }) {
  const mission = useMission()
  if (selection.type === 'entry') return <EntryInspector key={selection.sequence} sequence={selection.sequence} />
  if (selection.type === 'artifact') return <ArtifactInspector contentHash={selection.contentHash} />
  const item = mission.work.find((work) => work.workItemId === selection.id)
  if (item) return <WorkInspector item={item} />
  const person = [mission.owner, mission.coordinator, ...mission.people].find((who) => who.id === selection.id)
  if (person) return <PersonInspector who={person} />
  return <p className="text-13 text-muted">Nothing in this mission has this id. It may belong to another mission.</p>
}
