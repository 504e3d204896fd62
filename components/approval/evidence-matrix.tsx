import { Check, CircleHelp, CircleX } from 'lucide-react'
import { SequenceLink } from '../mission/sequence-link.tsx'
import type { ApprovalView, ParticipantView } from '../trpc.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { visibleText } from '../ui/visible-text.ts'

type Criterion = ApprovalView['criteria'][number]
type Evidence = Criterion['required'][number]['evidence'][number]

const RESULTS = {
  passed: { word: 'Passed', Icon: Check, className: 'text-ink' },
  failed: { word: 'Failed', Icon: CircleX, className: 'text-fail' },
  inconclusive: { word: 'Inconclusive', Icon: CircleHelp, className: 'text-wait' },
} as const

/** Evidence that each criterion of the definition of done requires. What is missing stands in its place, in red. */
export function EvidenceMatrix({ criteria, people }: { readonly criteria: readonly Criterion[]; readonly people: readonly ParticipantView[] }) {
  return (
    <ul className="grid">
      {criteria.map((criterion) => (
        <li key={criterion.criterionId} className="grid gap-3 border-b py-4 last:border-0 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <div className="min-w-0">
            <p className="font-semibold break-words"><bdi>{visibleText(criterion.criterionId)}</bdi></p>
            <PeerText text={criterion.description} className="block" />
            {!criterion.satisfied && <p className="mt-1 inline-flex items-center gap-1.5 font-medium text-fail"><CircleX aria-hidden className="size-4" />Not proven</p>}
          </div>
          <ul className="grid content-start gap-3">
            {criterion.required.map(({ type, evidence }) => (
              <li key={type} className="min-w-0">
                <p className="text-13">{type.replaceAll('_', ' ')}</p>
                {evidence.length === 0
                  ? <p className="inline-flex items-center gap-1.5 font-medium text-fail"><CircleX aria-hidden className="size-4" />Missing</p>
                  : evidence.map((item) => <EvidenceLine key={item.evidenceId} evidence={item} people={people} />)}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function EvidenceLine({ evidence, people }: { readonly evidence: Evidence; readonly people: readonly ParticipantView[] }) {
  const { word, Icon, className } = RESULTS[evidence.result]
  const who = people.find(({ id }) => id === evidence.generatedBy.id)?.name ?? evidence.generatedBy.type
  return (
    <div className="grid gap-0.5">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className={`inline-flex items-center gap-1.5 font-medium ${className}`}><Icon aria-hidden className="size-4" />{word}</span>
        <span>by <bdi>{visibleText(who)}</bdi></span>
        {evidence.sequence > 0 && <SequenceLink sequence={evidence.sequence} />}
      </p>
      <PeerText text={evidence.method} className="block text-13" />
    </div>
  )
}
