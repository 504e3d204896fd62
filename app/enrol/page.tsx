import type { Metadata } from 'next'
import { Enrolment } from '../../components/identity/enrolment.tsx'

export const metadata: Metadata = { title: 'Enrol' }

export default function EnrolmentPage() {
  return <Enrolment />
}
