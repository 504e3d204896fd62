// The Policy Log. Rulings that let an Event through are written with it; those that refused a Command, from here.
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Command } from '../../protocol/generated/types.ts'
import { rulingAgainst } from '../authority/policy-ruling.ts'
import type { Log } from '../log.ts'
import { BoundedWrites } from './bounded-writes.ts'
import type { PolicyMirror } from './policy-mirror.ts'
import type { Clock, RulingStore } from './ports.ts'

interface Needs {
  readonly store: Pick<RulingStore, 'add'>
  readonly policies: Pick<PolicyMirror, 'current'>
  readonly clock: Clock
  readonly diagnostics: Log
}

export class PolicyLog {
  readonly #needs: Needs
  readonly #writes: BoundedWrites

  constructor(needs: Needs) {
    this.#needs = needs
    this.#writes = new BoundedWrites(needs.clock, needs.diagnostics)
  }

  /** Keeps why the Space refused a verified Command, where that was a ruling of policy. */
  refused(spaceId: string, command: Command, rejection: Rejection): void {
    const { store, policies, clock } = this.#needs
    const ruling = rulingAgainst(command, rejection, { at: clock.now(), policyVersion: policies.current.version })
    if (!ruling) return
    this.#writes.offer({ sender: command.actor.id, isVerified: true }, (lostBefore) =>
      store.add(spaceId, lostBefore === 0 ? ruling : { ...ruling, reason: `${ruling.reason} (${lostBefore} refusals before this one were not written down)` }),
    )
  }

  /** Resolves when everything so far is written. */
  settled(): Promise<void> {
    return this.#writes.settled()
  }
}
