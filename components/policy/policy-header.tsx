'use client'

import { ViewTabs } from '../shell/view-tabs.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { POLICY_LOG_PATH, POLICY_PATH } from './policy-paths.ts'

const VIEWS = [{ address: POLICY_PATH, label: 'Policy' }, { address: POLICY_LOG_PATH, label: 'Policy Log' }]

/** What stands above both pages. */
export function PolicyHeader() {
  return (
    <>
      <PageHeader title="Policy">What everybody in this organization is held to, in every mission. Each version is signed by an administrator.</PageHeader>
      <ViewTabs label="Views of the policy" views={VIEWS} />
    </>
  )
}
