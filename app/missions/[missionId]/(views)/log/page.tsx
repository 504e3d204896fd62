import type { Metadata } from 'next'
import { Log } from '../../../../../components/log/log.tsx'

export const metadata: Metadata = { title: 'Log' }

export default function LogPage() {
  return <Log />
}
