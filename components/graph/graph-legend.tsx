import { PROVENANCE, type EdgeProvenance } from './provenance.ts'

/** What the line styles and shapes mean. Every line is stored in the log; none is guessed. */
export function GraphLegend({ provenances }: { readonly provenances: readonly EdgeProvenance[] }) {
  return (
    <details className="relative text-13">
      <summary className="row rounded-md px-2 text-action hover:bg-action-wash">Legend</summary>
      <div className="absolute right-0 z-20 mt-1 grid w-80 max-w-[90vw] gap-3 rounded-md border bg-raised p-4 shadow-float">
        <p className="text-12 text-muted">A bubble is talk, a chip with a rule is an Event, a folded sheet is an artifact. Lines exist only where the log names the link.</p>
        <ul className="grid gap-2">
          {provenances.map((provenance) => {
            const { words, meaning, dash, width } = PROVENANCE[provenance]
            return (
              <li key={provenance} className="grid grid-cols-[2.5rem_1fr] items-center gap-x-3">
                <svg aria-hidden viewBox="0 0 40 8" className="h-2 w-10"><path d="M1 4h38" className="stroke-ink" strokeWidth={width} strokeDasharray={dash.join(' ')} /></svg>
                <span><span className="font-medium">{words}</span> <span className="block text-12 text-muted">{meaning}</span></span>
              </li>
            )
          })}
        </ul>
      </div>
    </details>
  )
}
