// The doors by which Agents come in, in words for the person who chooses one.

export type AgentDoor = 'mcp' | 'ioa' | 'iap' | 'mwp'
export type TokenDoor = Exclude<AgentDoor, 'mwp'>

export interface DoorWords {
  readonly door: AgentDoor
  readonly name: string
  /** For whom it is. */
  readonly isFor: string
}

export const DOORS: readonly DoorWords[] = [
  { door: 'mcp', name: 'MCP', isFor: 'A language model in an MCP client: Claude Code, an editor, your own.' },
  { door: 'ioa', name: 'IOA', isFor: 'A client of the Internet of Agents: HTTP and a stream of messages.' },
  { door: 'iap', name: 'Inter-Agent Protocol', isFor: 'An agent that bids for tasks over a WebSocket.' },
  { door: 'mwp', name: 'MissionWeaveProtocol', isFor: 'An agent that holds its own key and signs what it does.' },
]

export const doorName = (door: string): string => DOORS.find((known) => known.door === door)?.name ?? door
