// The Policy Log in words: what a ruling is about, and what it says where its reason is not for the reader.

const AREAS: Readonly<Record<string, { readonly label: string; readonly done: string }>> = {
  authorization: { label: 'Authority', done: 'Somebody was given authority' },
  budget: { label: 'Budget', done: 'A budget was changed' },
  risk: { label: 'Risk', done: 'The start of risky work was approved' },
  escalation: { label: 'Limits and escalation', done: 'A limit was lifted, or somebody stepped in' },
  redaction: { label: 'Redaction', done: 'A message was redacted' },
  policy: { label: 'Policy', done: 'The policy was changed' },
}

export const areaWord = (area: string): string => AREAS[area]?.label ?? area

/** A sentence for every ruling: its reason, or what can be said without it. Of a redaction the reason does not say that it is one. */
export function rulingSentence({ area, outcome, reason = '' }: { readonly area: string; readonly outcome: 'allowed' | 'refused'; readonly reason?: string }): string {
  const done = AREAS[area]?.done ?? area
  if (reason === '') return `${done}.`
  const said = area === 'redaction' && outcome === 'allowed' ? `${done}: ${reason}` : `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`
  return /[.!?]$/.test(said) ? said : `${said}.`
}
