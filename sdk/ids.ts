import { randomUUID } from 'node:crypto'

/** A fresh identifier in the form this Organization uses. */
export const newId = (): string => `urn:uuid:${randomUUID()}`

/** The present time as a protected time: UTC with milliseconds and an upper-case Z. */
export const timeNow = (): string => new Date().toISOString()

/** The Conversation of a whole Mission. */
export const missionConversation = (groupId: string): string => `${groupId}:mission`

/** The Conversation of one WorkItem. */
export const workConversation = (groupId: string, workItemId: string): string => `${groupId}:work:${workItemId}`
