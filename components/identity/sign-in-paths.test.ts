import { describe, expect, it } from 'vitest'
import { browserName } from './browser-name.ts'
import { pathAfterSignIn } from './path-after-sign-in.ts'

describe('pathAfterSignIn', () => {
  it('goes back to the page that asked', () => {
    expect(pathAfterSignIn('/missions/urn%3Auuid%3A1?tab=log')).toBe('/missions/urn%3Auuid%3A1?tab=log')
  })

  it.each([null, '', '//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)'])('leads home from %s', (next) => {
    expect(pathAfterSignIn(next)).toBe('/')
  })
})

describe('browserName', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36', 'Chrome on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0', 'Edge on Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Mac'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1', 'Safari on iPhone'],
    ['curl/8', 'Browser'],
  ])('reads %s', (agent, name) => {
    expect(browserName(agent)).toBe(name)
  })
})
