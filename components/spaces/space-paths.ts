/** Views of an open Space in the order shown; the conversation stands at the Space's own address. */
export const SPACE_VIEWS = [
  { path: '', label: 'Conversation' },
  { path: '/graph', label: 'Graph' },
  { path: '/people', label: 'People' },
] as const

/** Address of a view of an open Space. */
export const spacePath = (spaceId: string, path: (typeof SPACE_VIEWS)[number]['path'] = ''): string => `/spaces/${encodeURIComponent(spaceId)}${path}`
