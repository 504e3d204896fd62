/** Tabs of a Mission in the order shown; the board stands at the Mission's own address. */
export const MISSION_TABS = [
  { path: '', label: 'Board' },
  { path: '/graph', label: 'Graph' },
  { path: '/conversation', label: 'Conversation' },
  { path: '/artifacts', label: 'Artifacts' },
  { path: '/people', label: 'People' },
  { path: '/log', label: 'Log' },
] as const

/** Address of a page of a Mission. */
export const missionPath = (missionId: string, path: (typeof MISSION_TABS)[number]['path'] | '/approval' = ''): string =>
  `/missions/${encodeURIComponent(missionId)}${path}`

/** Where the signed receipt of an approved Mission is downloaded. */
export const receiptPath = (missionId: string): string => `/api/receipts/${encodeURIComponent(missionId)}`

/** Where the bytes of an artifact are served, always as a download. */
export const artifactPath = (contentHash: string): string => `/artifacts/${contentHash}`
