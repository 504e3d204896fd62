import type { Metadata } from 'next'
import { PeopleList } from '../../../../../components/people/people-list.tsx'

export const metadata: Metadata = { title: 'People' }

export default function PeoplePage() {
  return <PeopleList />
}
