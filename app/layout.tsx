import type { Metadata, Viewport } from 'next'
import type { ReactNode } from 'react'
import { cookies } from 'next/headers'
import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import { Shell } from '../components/shell/shell.tsx'
import { parseTheme, THEME_COOKIE } from '../components/shell/theme-cookie.ts'
import { SignerProvider } from '../components/signing/signer-provider.tsx'
import { ConsoleApi } from '../components/trpc.tsx'
import './globals.css'

export const metadata: Metadata = {
  title: { default: 'Countersign', template: '%s · Countersign' },
  description: 'Missions worked by agents and people, signed end to end.',
  robots: { index: false, follow: false },
}

export const viewport: Viewport = { colorScheme: 'light dark', width: 'device-width', initialScale: 1 }

// Reading the cookie also makes every page dynamic, which the script nonce of the content policy needs.
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value)
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} data-theme={theme === 'system' ? undefined : theme}>
      <body>
        <ConsoleApi>
          <SignerProvider>
            <Shell theme={theme}>{children}</Shell>
          </SignerProvider>
        </ConsoleApi>
      </body>
    </html>
  )
}
