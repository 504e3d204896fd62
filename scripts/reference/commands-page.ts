// docs/commands.md: every Command with its sender, payload, checks, codes, effects and Events.
import { CORE_COMMAND_KINDS } from '../../protocol/kinds.ts'
import type { CommandPayloadKind } from '../../protocol/validate.ts'
import { commandPayloadKinds } from '../../protocol/validate.ts'
import type { Check } from './checks.ts'
import { COMMON_CODES } from './checks.ts'
import { FACTS } from './facts.ts'
import { payloadShape } from './payload-members.ts'

const HEAD = `# Commands

<!-- Written by \`npm run docs\` from schemas/payloads/commands and scripts/reference/facts*.ts. Do not edit. -->

Every change of state is a signed Command. The authority answers with the Event that it appended, or with a refusal and one
of the codes of the protocol; a refused Command leaves no trace but the audit. The members of the payload are those of
\`schemas/payloads/commands\`; *names in italics* are definitions in \`schemas/\`. Members that no schema names are refused.

## What every Command passes first

In this order; the first failure is the answer.

| What has to hold | Code |
| --- | --- |
| The bytes are one strict JSON value. | \`PROTOCOL_VIOLATION\` |
| The envelope fits its schema: the epochs of this kind of sender are there, and no others. | \`SCHEMA_VALIDATION_FAILED\` |
| The signature holds for the exact bytes and the key was valid. Documents inside the payload are verified the same way. | \`AUTH_INVALID_SIGNATURE\` |
| The Action ID was not used for other content. The same bytes again get the same answer again. | \`ACTION_ID_COLLISION\` |
| The key is valid at acceptance, and \`issuedAt\` is within the window of the policy. | \`AUTH_INVALID_SIGNATURE\` |
| Every critical extension is known. | \`UNKNOWN_CRITICAL_EXTENSION\` |
| The kind is served, and the payload fits its schema. | \`INVALID_COMMAND\`, \`SCHEMA_VALIDATION_FAILED\`, \`WORK_CONTRACT_INCOMPLETE\` |
| Money is in whole millionths, up to two thousand million. | \`INVALID_COMMAND\` |
| The key may sign this: a conversation key talks and proposes, nothing else. | \`AUTH_FORBIDDEN\` |
| The Group exists and the sender belongs to it, or is a service that policy lets send this kind. | \`GROUP_NOT_FOUND\`, \`AUTH_FORBIDDEN\` |
| An Agent cites its current Session Epoch. | \`AUTH_STALE_SESSION\` |
| The Membership Epoch is current and the Membership active. | \`MEMBERSHIP_STALE\`, \`MEMBERSHIP_REQUIRED\` |
| A Coordinator Epoch that is cited is the current one. | \`AUTH_STALE_COORDINATOR\` |
| A Cooperation Override Grant that is cited lifts a limit that holds this Command back. | \`INVALID_COMMAND\` |
| \`expectedRevision\`, where it is given, is what the kind counts. | \`REVISION_CONFLICT\` |

Last of all, the Group is not archived: what would be accepted otherwise is \`INVALID_STATE_TRANSITION\` from then on.

A sender that is too fast gets \`RATE_LIMITED\` or \`BACKPRESSURE\`, and a fault of the authority is \`INTERNAL_ERROR\`; nothing was accepted then.`

/** The whole page. The same for the same schemas and facts. */
export function commandsPage(): string {
  const isCore = (kind: string) => CORE_COMMAND_KINDS.some((core) => core === kind)
  const kinds = [...commandPayloadKinds].sort()
  const sections = [
    HEAD,
    '## Core Commands',
    ...CORE_COMMAND_KINDS.flatMap((core) => kinds.filter((kind) => kind === core)).map(commandSection),
    '## Commands of extensions',
    ...kinds.filter((kind) => !isCore(kind)).map(commandSection),
  ]
  return `${sections.join('\n\n')}\n`
}

function commandSection(kind: CommandPayloadKind): string {
  const { sender, revision, checks, effects, events } = FACTS[kind]
  const { purpose, members } = payloadShape(kind)
  const rows = members.map(({ name, type, isRequired }) => `| \`${name}\` | ${type.replaceAll('|', '\\|')} | ${isRequired ? 'yes' : 'no'} |`)
  const payload = rows.length === 0 ? 'The payload is empty.' : `| Member | Type | Required |\n| --- | --- | --- |\n${rows.join('\n')}`
  return `### ${kind}

${purpose}

- **Sender:** ${sender}
- **\`expectedRevision\`:** ${revision}
- **Effects:** ${effects}
- **Events:** ${events}

${payload}

Checks, in order:

${checks.map(checkLine).join('\n')}

Codes besides the common ones: ${ownCodes(checks)}.`
}

const codeWords = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ')

const checkLine = ([holds, ...codes]: Check, index: number): string => `${index + 1}. ${holds} ${codeWords(codes)}`

function ownCodes(checks: readonly Check[]): string {
  const codes = [...new Set(checks.flatMap(([, ...own]) => own))].filter((code) => !COMMON_CODES.has(code)).sort()
  return codes.length === 0 ? 'none' : codeWords(codes)
}
