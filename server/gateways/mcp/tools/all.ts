// All tools of the MCP door, in the order in which clients list them.
import type { Tool } from '../tool.ts'
import { artifactPublish, artifactRead } from './artifacts.ts'
import { ioaRead } from './ioa-read.ts'
import { ioaSend } from './ioa-send.ts'
import { ioaSpace } from './ioa-space.ts'
import { askForHelp, messagePost } from './messages.ts'
import { missionList } from './mission-list.ts'
import { missionRead } from './mission-read.ts'
import { workAccept, workDecline, workOffers } from './offers.ts'
import { workContext } from './work-context.ts'
import { workCheckpoint, workFail, workSubmit } from './work-results.ts'
import { workStart } from './work-start.ts'

export const TOOLS: readonly Tool[] = [
  ioaSpace, ioaSend, ioaRead,
  missionList, missionRead, messagePost, askForHelp,
  workOffers, workAccept, workDecline, workStart, workContext, workCheckpoint, artifactPublish, artifactRead, workSubmit, workFail,
]
