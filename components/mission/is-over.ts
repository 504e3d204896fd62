import type { MissionView } from '../trpc.tsx'

/** Whether nothing is decided in this Mission any more. */
export const isOver = ({ state }: Pick<MissionView, 'state'>): boolean => state === 'approved' || state === 'cancelled' || state === 'failed'
