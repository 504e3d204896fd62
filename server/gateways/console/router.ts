// The console's API. Components import the type only.
import { accessKeysRouter, agentsRouter } from './agents.ts'
import { enrolmentRouter, keysRouter } from './enrolment.ts'
import { live } from './live.ts'
import { approvalsRouter, missionsRouter } from './missions.ts'
import { policyRouter } from './policy.ts'
import { sessionRouter } from './session.ts'
import { spacesRouter } from './spaces.ts'
import { router } from './trpc.ts'

export const appRouter = router({
  session: sessionRouter,
  enrolment: enrolmentRouter,
  keys: keysRouter,
  agents: agentsRouter,
  accessKeys: accessKeysRouter,
  missions: missionsRouter,
  approvals: approvalsRouter,
  spaces: spacesRouter,
  policy: policyRouter,
  live,
})

export type AppRouter = typeof appRouter
