import type { Metadata } from 'next'
import { SignIn } from '../../components/identity/sign-in.tsx'

export const metadata: Metadata = { title: 'Sign in' }

export default function SignInPage() {
  return <SignIn />
}
