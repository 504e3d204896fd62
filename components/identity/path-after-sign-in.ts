/** Where to go after signing in: the page that asked for it, if it is one of this site; anything else leads home. */
export function pathAfterSignIn(next: string | null): string {
  const isOwnPath = next !== null && next.startsWith('/') && !next.startsWith('//') && !next.includes('\\')
  return isOwnPath ? next : '/'
}
