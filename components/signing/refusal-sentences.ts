import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { SignerRefusal } from './signer.ts'

export interface RefusalWords {
  /** What happened. */
  readonly happened: string
  /** What to do. */
  readonly next: string
}

/** One row per wire code: what happened, then what to do, in words for a person at the console. */
export const REFUSAL_SENTENCES: Readonly<Record<ErrorCode, RefusalWords>> = {
  UNSUPPORTED_VERSION: { happened: 'This page and the server speak different versions of the protocol.', next: 'Reload the page; if that does not help, the server was upgraded only in part.' },
  AUTH_REQUIRED: { happened: 'The server does not know who is asking.', next: 'Sign in, then send it again; what you signed is kept.' },
  AUTH_INVALID_SIGNATURE: { happened: 'The signature could not be established.', next: 'Check under Keys that your key is still valid and that this device shows the right time, then sign again.' },
  AUTH_STALE_SESSION: { happened: 'A newer session took over.', next: 'Reload the page and try again.' },
  AUTH_STALE_COORDINATOR: { happened: 'The mission has a new coordinator.', next: 'Look at the mission as it is now, then decide again.' },
  AUTH_FORBIDDEN: { happened: 'Your role or this key does not allow that.', next: 'An authority key signs decisions and a conversation key signs messages. Ask the mission owner if your role should allow it.' },
  GROUP_NOT_FOUND: { happened: 'There is no such mission for you.', next: 'It may have been closed to you. Your missions are listed under Missions.' },
  MEMBERSHIP_REQUIRED: { happened: 'You are not a member of this mission.', next: 'Ask its owner to add you.' },
  MEMBERSHIP_STALE: { happened: 'Your membership changed while you were on this page.', next: 'Look at the mission as it is now, then sign again.' },
  SCHEMA_VALIDATION_FAILED: { happened: 'A value does not fit the form that the protocol prescribes.', next: 'Check the length and form of what you entered, then sign again.' },
  INVALID_COMMAND: { happened: 'The command is well formed but contradicts itself or the mission.', next: 'Check ids, dates and amounts, then sign again.' },
  INVALID_STATE_TRANSITION: { happened: 'The present state does not allow that any more.', next: 'See what changed; the next possible step is offered there.' },
  REVISION_CONFLICT: { happened: 'This moved on while you were reading.', next: 'See what changed, then decide again. Nothing was signed on the newer revision.' },
  ACTION_ID_COLLISION: { happened: 'This action was already used for something else.', next: 'Sign it again; it gets a new action id.' },
  UNKNOWN_CRITICAL_EXTENSION: { happened: 'The command needs an extension that this server does not know.', next: 'It cannot be done here.' },
  WORK_CONTRACT_INCOMPLETE: { happened: 'The work contract leaves something out.', next: 'Add the missing goal, deliverables or criteria, then sign again.' },
  WORK_OFFER_EXPIRED: { happened: 'The offer ran out.', next: 'The coordinator has to offer the work again.' },
  WORK_ALREADY_OWNED: { happened: 'Somebody else owns this work item.', next: 'Nothing needs doing; see the board for its owner.' },
  WORK_LEASE_EXPIRED: { happened: 'The lease that this needs ran out.', next: 'The work is taken up again under a new lease.' },
  WORK_STALE_OWNERSHIP: { happened: 'The work item changed hands.', next: 'Look at the board as it is now, then decide again.' },
  APPROVAL_REQUIRED: { happened: 'A person has to approve first.', next: 'Once that approval is there, send it again; what you signed is kept.' },
  BUDGET_EXCEEDED: { happened: 'A budget limit is exhausted.', next: 'See the budget on the board. The mission owner can raise that of the mission.' },
  RATE_LIMITED: { happened: 'Too much was sent in a short time.', next: 'Wait a moment, then send it again; what you signed is kept.' },
  BACKPRESSURE: { happened: 'The server cannot take more at the moment.', next: 'Wait a moment, then send it again; what you signed is kept.' },
  CURSOR_TOO_OLD: { happened: 'That place in the log is no longer online.', next: 'Reload the page to start from the present.' },
  PROTOCOL_VIOLATION: { happened: 'The server could not make sense of what this page sent.', next: 'Reload the page, then try again.' },
  INTERNAL_ERROR: { happened: 'The server failed. Whether it took this is not known.', next: 'Send it again: it is not done twice, and what you signed is kept.' },
}

/** Reasons on this side of the wire. */
export type LocalRefusal = 'CANCELLED' | 'EXPIRED' | 'NOT_SIGNED_IN' | 'NO_KEY' | 'NO_STORAGE' | 'MOVED' | 'UNREADABLE' | 'NOT_KEPT' | 'UNREACHABLE' | 'UNVERIFIED'

export const LOCAL_SENTENCES: Readonly<Record<LocalRefusal, RefusalWords>> = {
  CANCELLED: { happened: 'You closed the dialog. Nothing was signed.', next: 'Open it again when you are ready.' },
  EXPIRED: { happened: 'That took longer than the server waits. Nothing was signed.', next: 'Start again.' },
  NOT_SIGNED_IN: { happened: 'You are not signed in.', next: 'Sign in, then try again.' },
  NO_KEY: { happened: 'This browser holds no valid key of yours for this act.', next: 'Use the browser that holds it, or add a key for this one under Keys.' },
  NO_STORAGE: { happened: 'This browser refuses to keep keys.', next: 'Leave private browsing, or allow this site to store data.' },
  MOVED: { happened: 'This moved on while you were reading. Nothing was signed.', next: 'See what changed, then decide again.' },
  UNREADABLE: { happened: 'The signer could not read what it was asked to sign, so it did not.', next: 'Reload the page. If it happens again, do not sign on this machine.' },
  NOT_KEPT: { happened: 'This browser would not keep the signed command, so it was not sent.', next: 'Free some storage for this site, then sign again.' },
  UNREACHABLE: { happened: 'Signed here, but the server did not answer.', next: 'The signed command is kept in this browser. Send it again; it cannot take effect twice.' },
  UNVERIFIED: { happened: 'The server says it accepted this, but its answer does not verify.', next: 'Do not rely on it. Tell the operator of this server before you go on.' },
}

/** The code under which a signer's refusal is told. */
export const CODE_OF_SIGNER_REFUSAL: Readonly<Record<SignerRefusal, LocalRefusal>> = {
  cancelled: 'CANCELLED',
  stale: 'EXPIRED',
  'no-key': 'NO_KEY',
  moved: 'MOVED',
  unreadable: 'UNREADABLE',
  'no-storage': 'NO_STORAGE',
}

export interface RevisionMove {
  readonly expectedRevision?: number
  readonly currentRevision?: number
}

/** Words for a refusal; a revision conflict names both revisions where the authority told them. */
export function refusalWords(code: ErrorCode | LocalRefusal, move: RevisionMove = {}): RefusalWords {
  const words = Object.hasOwn(REFUSAL_SENTENCES, code) ? REFUSAL_SENTENCES[code as ErrorCode] : LOCAL_SENTENCES[code as LocalRefusal]
  const { expectedRevision, currentRevision } = move
  if (code !== 'REVISION_CONFLICT' || expectedRevision === undefined || currentRevision === undefined) return words
  return { ...words, happened: `Revision moved from ${expectedRevision} to ${currentRevision} while you were reading.` }
}
