import { describe, expect, test } from 'vitest'
import { isIdentifier, isUri } from './identifier.ts'

describe('isUri (RFC 3986 URI)', () => {
  test.each([
    'example:',
    'urn:uuid:00000000-0000-4000-8000-000000000001',
    'a+b-c.d1:x',
    'A:B',
    'mailto:someone@example.org',
    'urn:a:b?query=%20#fragment/?',
    'file:///etc/hosts',
    'x:/',
    'x:/a//b',
    'x://',
    'x:///path',
    'x:?',
    'x:#',
    'x:a:b@c',
    "http://user:pa:ss@host:8080/a;b=c,d/!$&'()*+?x=y/z?#f?/",
    'http://host:/',
    'http://:80/',
    'http://%41.example/',
    'http://1.2.3.4/',
    'http://1.2.3.400/', // a registered name, not an address
    'http://[::]/',
    'http://[::1]:443/',
    'http://[1:2:3:4:5:6:7:8]/',
    'http://[1:2:3:4:5:6:7::]/',
    'http://[::1:2:3:4:5:6:7]/',
    'http://[1:2:3::6:7:8]/',
    'http://[::ffff:192.168.1.1]/',
    'http://[1:2:3:4:5:6:192.168.1.255]/',
    'http://[1:2:3:4:5::192.168.1.1]/',
    'http://u@[FEDC:ba98::]',
    'x://[V01.a]/',
    'x://[vF.a:b!$~]/',
  ])('accepts %s', (text) => {
    expect(isUri(text)).toBe(true)
  })

  test.each([
    '',
    ':',
    '1a:b',
    '+a:b',
    'no-scheme',
    '/relative',
    '//authority/path',
    '#fragment',
    '?query',
    'sch eme:x',
    'a_b:x',
    'urn:x y',
    'urn:x\n',
    '\nurn:x',
    'urn:x\t',
    'urn:é',
    'urn:\ud800',
    'urn:😀',
    'urn:"x"',
    'urn:<x>',
    'urn:x\\y',
    'urn:x^y',
    'urn:`x`',
    'urn:{x}',
    'urn:x|y',
    'urn:%',
    'urn:%4',
    'urn:%GG',
    'urn:%4x',
    'http://host/%zz',
    'http://%ho.st/',
    'a:#b#c',
    'a:?#[',
    'a:?[',
    'a:[b]',
    'a:/[b]',
    'http://host/[x]',
    'http://user@pass@host/',
    'http://[u]@host/',
    'http://us[er@host/',
    'http://host:8a/',
    'http://a:b:c/',
    'http://host[::1]/',
    'http://[::1/',
    'http://::1]/',
    'http://[::1]x/',
    'http://[::1]:x/',
    'http://[]/',
    'http://[not-an-ip]/',
    'http://[:]/',
    'http://[:::]/',
    'http://[1::2::3]/',
    'http://[1:2:3:4:5:6:7]/',
    'http://[1:2:3:4:5:6:7:8:9]/',
    'http://[1:2:3:4::5:6:7:8]/',
    'http://[:1:2:3:4:5:6:7:8]/',
    'http://[1:2:3:4:5:6:7:8:]/',
    'http://[12345::]/',
    'http://[g::]/',
    'http://[::1%25eth0]/',
    'http://[::ffff:192.168.01.1]/',
    'http://[::256.1.1.1]/',
    'http://[::1.2.3]/',
    'http://[::1.2.3.4.5]/',
    'http://[1.2.3.4::]/',
    'http://[1.2.3.4]/',
    'http://[1:2:3:4:5:6:7:1.2.3.4]/',
    'http://[1:2:3:4:5:6::1.2.3.4]/',
    'x://[v.a]/',
    'x://[v1.]/',
    'x://[vg.a]/',
    'x://[v1.a%20]/',
    'x://[v1a]/',
  ])('refuses %j', (text) => {
    expect(isUri(text)).toBe(false)
  })

  test('a long text costs linear time, whatever its shape', () => {
    const n = 2_000_000
    const shapes = ['a', '%41', ':', '/', '@', '[', ']', '::', '.', '#', '?', 'v1.'].flatMap((unit) =>
      ['', 'x:', 'x://', 'x://[', 'x://[v1.', 'x:?', 'x:#'].map(
        (prefix) => `${prefix}${unit.repeat(n / unit.length)}\n`,
      ),
    )
    // Quadratic work on any one of them would outlast the timeout many times over.
    for (const shape of shapes) {
      expect(isUri(shape)).toBe(false)
      isUri(shape.slice(0, -1))
    }
  }, 30_000)
})

describe('isIdentifier', () => {
  test('allows 512 characters and no more', () => {
    expect(isIdentifier(`urn:x:${'a'.repeat(506)}`)).toBe(true)
    expect(isIdentifier(`urn:x:${'a'.repeat(507)}`)).toBe(false)
    expect(isUri(`urn:x:${'a'.repeat(507)}`)).toBe(true)
  })

  test('is a URI', () => {
    expect(isIdentifier('example:')).toBe(true)
    expect(isIdentifier('actions/submit')).toBe(false)
  })
})
