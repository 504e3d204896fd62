import type { Metadata } from 'next'
import { PolicyLog } from '../../../components/policy/policy-log.tsx'

export const metadata: Metadata = { title: 'Policy Log' }

export default function PolicyLogRoute() {
  return <PolicyLog />
}
