import { sha256Hash } from '../../protocol/digest.ts'
import { HashText } from '../ui/hash-text.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { NameHints } from './signer.ts'
import type { SigningPlan } from './signing-plan.ts'
import type { Fact, SentencePart, Statement } from './statement.ts'

const decoder = new TextDecoder()

/** The act in one sentence, every member of the document, the hash of its bytes, and the bytes themselves. */
export function StatementView({ plan, statement, names }: { readonly plan: SigningPlan; readonly statement: Statement; readonly names: NameHints }) {
  const isApproval = plan.form === 'command' && plan.approval !== undefined
  return (
    <>
      <p data-statement className="text-20 font-medium text-balance">
        {statement.sentence.map((part, at) => (
          <Part key={at} part={part} names={names} />
        ))}
      </p>
      {statement.next !== undefined && <p className="text-muted"><span className="font-medium text-ink">What happens then:</span> {statement.next}</p>}
      <Facts facts={statement.facts} names={names} />
      <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <h3 className="text-12 text-muted">{isApproval ? 'Hash of the approval, signed first' : 'Hash of the bytes to be signed'}</h3>
        <HashText grouped value={sha256Hash(plan.shownBytes)} label="Hash of the bytes to be signed" />
        {isApproval && <p className="text-12 text-muted">The command that carries the approval to the authority is signed by the same press:</p>}
        <Facts facts={statement.envelope} names={names} small />
      </section>
      <details className="text-13">
        <summary className="text-muted">The exact bytes</summary>
        <pre tabIndex={0} dir="ltr" className="peer-text mt-2 max-h-64 overflow-auto rounded-md bg-sunk p-3 font-mono text-12">
          {visibleText(decoder.decode(plan.shownBytes))}
        </pre>
      </details>
      <p className="text-12 text-muted">
        Worded by template {statement.templateId}, <HashText value={statement.templateHash} label="Hash of the template" copyable={false} />. Names in{' '}
        <span className="italic">italics</span> come from this server&rsquo;s directory and are not part of what is signed.
      </p>
    </>
  )
}

function Part({ part, names }: { readonly part: SentencePart; readonly names: NameHints }) {
  if ('text' in part) return <>{part.text}</>
  if ('quote' in part) return <bdi>“{visibleText(part.quote)}”</bdi>
  const name = names[part.id]
  return (
    <>
      {name !== undefined && <bdi className="italic">{visibleText(name)} </bdi>}
      <HashText value={part.id} label="Id" copyable={false} className="align-baseline" />
    </>
  )
}

function Facts({ facts, names, small = false }: { readonly facts: readonly Fact[]; readonly names: NameHints; readonly small?: boolean }) {
  if (facts.length === 0) return null
  return (
    <dl className={small ? 'grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-1 text-12 sm:grid-cols-[10rem_minmax(0,1fr)]' : 'grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-3 border-y py-3 sm:grid-cols-[10rem_minmax(0,1fr)]'}>
      {facts.map((fact) => (
        <div key={fact.label} className="grid grid-cols-[minmax(0,1fr)] gap-0.5 sm:contents">
          <dt className={small ? 'text-muted' : 'text-13 text-muted'}>
            <bdi>{visibleText(fact.label)}</bdi>
          </dt>
          <dd className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
            {fact.values.length === 0 && <span className="text-muted">none</span>}
            {fact.values.map((value, at) => (
              <FactValue key={at} fact={fact} value={value} names={names} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A value inside a value keeps its ids in quotes; who or what they name stands behind. */
function TextValue({ value, names }: { readonly value: string; readonly names: NameHints }) {
  const named = Object.entries(names).filter(([id]) => value.includes(JSON.stringify(id)))
  return (
    <span>
      <PeerText text={value} />
      {named.length > 0 && <bdi className="italic"> ({named.map(([, name]) => visibleText(name)).join(', ')})</bdi>}
    </span>
  )
}

function FactValue({ fact, value, names }: { readonly fact: Fact; readonly value: string; readonly names: NameHints }) {
  if (fact.form === 'hash') return <HashText grouped value={value} label={fact.label} />
  if (fact.form === 'time' && !Number.isNaN(Date.parse(value))) return <span>{`${absoluteTime(value)} (${value})`}</span>
  if (fact.form === 'text') return <TextValue value={value} names={names} />
  const [id, type] = fact.form === 'actor' ? [value.slice(value.indexOf(' ') + 1), value.slice(0, value.indexOf(' '))] : [value]
  const name = names[id]
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {name !== undefined && <bdi className="italic">{visibleText(name)}</bdi>}
      <HashText value={id} label={fact.label} />
      {type !== undefined && <span className="text-muted">{visibleText(type)}</span>}
    </span>
  )
}
