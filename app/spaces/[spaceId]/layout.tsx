import { Suspense, type ReactNode } from 'react'
import { SpaceProvider } from '../../../components/spaces/space-context.tsx'
import { SpaceHeader, SpaceTabs } from '../../../components/spaces/space-header.tsx'
import { SpaceInspector } from '../../../components/spaces/space-inspector.tsx'

interface SpaceLayoutProps {
  readonly params: Promise<{ readonly spaceId: string }>
  readonly children: ReactNode
}

export default async function SpaceLayout({ params, children }: SpaceLayoutProps) {
  const { spaceId } = await params
  return (
    <div className="px-4 pt-6 pb-8 sm:px-6">
      <SpaceProvider spaceId={decodeURIComponent(spaceId)}>
        <SpaceHeader />
        <Suspense>
          <div className="flex gap-6">
            <div className="min-w-0 flex-1">
              <SpaceTabs />
              {children}
            </div>
            <SpaceInspector />
          </div>
        </Suspense>
      </SpaceProvider>
    </div>
  )
}
