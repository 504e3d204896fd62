import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { exampleCommandPayloads } from '../../protocol/testing/example-payloads.ts'
import { bytesOf, createDraft, ORIGIN } from './signing-fixture.ts'
import { planSigning } from './signing-plan.ts'
import { StatementView } from './statement-view.tsx'
import { describePlan } from './statement.ts'

describe('StatementView', () => {
  it('puts the directory’s name of a service behind its id in a policy, in italics, and behind nothing else', () => {
    const { policy } = exampleCommandPayloads['ext.countersign.policy.change']
    const { principalId } = policy.services[0]!
    const plan = planSigning(bytesOf({ ...createDraft, kind: 'ext.countersign.policy.change', payload: { policy, reason: `Because of ${principalId}.` } }), ORIGIN)
    if (!plan.ok) throw new Error('unreadable')
    const html = renderToStaticMarkup(<StatementView plan={plan.value} statement={describePlan(plan.value)} names={{ [principalId]: 'Watchdog', 'urn:example:other': 'Nobody' }} />)
    expect(html.split('Watchdog')).toHaveLength(2)
    expect(html).toMatch(/may do: &quot;mission\.cancel&quot;<\/bdi><bdi class="italic"> \(Watchdog\)/)
    expect(html).not.toContain('Nobody')
  })
})
