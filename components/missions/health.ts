import type { MissionSummary } from '../trpc.tsx'

type Health = MissionSummary['status']['health']

/** Most urgent first. */
const URGENCY: readonly Health[] = ['failing', 'blocked', 'waiting-on-person', 'healthy', 'finished']

/** Whether something here moves only once this person has signed. */
export const waitsOnMe = ({ waitingOnMe, startsWaitingOnMe }: MissionSummary): boolean => waitingOnMe || startsWaitingOnMe > 0

/** How many signatures these missions wait for. */
export const signaturesAsked = (missions: readonly MissionSummary[]): number => missions.reduce((sum, { waitingOnMe, startsWaitingOnMe }) => sum + Number(waitingOnMe) + startsWaitingOnMe, 0)

/** By urgency, then by deadline. */
export function sortByUrgency(missions: readonly MissionSummary[]): readonly MissionSummary[] {
  return [...missions].sort(
    (a, b) => URGENCY.indexOf(a.status.health) - URGENCY.indexOf(b.status.health) || a.deadline.localeCompare(b.deadline),
  )
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** "1 waits on you, 2 are failing or blocked, 3 are healthy." The answer to "how is it?" in one line. */
export function healthSentence(missions: readonly MissionSummary[]): string {
  const waiting = missions.filter(waitsOnMe).length
  const others = missions.filter((mission) => !waitsOnMe(mission))
  const having = (...healths: readonly Health[]) => others.filter((mission) => healths.includes(mission.status.health)).length
  const stuck = having('failing', 'blocked')
  const parts = [
    waiting > 0 && counted(waiting, 'waits on you', 'wait on you'),
    stuck > 0 && counted(stuck, 'is failing or blocked', 'are failing or blocked'),
    having('waiting-on-person') > 0 && counted(having('waiting-on-person'), 'waits on somebody else', 'wait on somebody else'),
    having('healthy') > 0 && counted(having('healthy'), 'is healthy', 'are healthy'),
  ].filter((part) => part !== false)
  if (parts.length > 0) return `${parts.join(', ')}.`
  return missions.length === 0 ? 'There are no missions yet.' : 'Everything is finished.'
}
