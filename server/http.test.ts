import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { addressReader } from './http-messages.ts'

const request = (remoteAddress: string | undefined, forwarded?: string) => ({ socket: { remoteAddress }, headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) } }) as unknown as IncomingMessage

describe('the address of a request', () => {
  it.each([
    ['is the peer’s, whatever the peer claims', 0, '192.0.2.9', '198.51.100.1', '192.0.2.9'],
    ['is what the one proxy has appended', 1, '10.0.0.1', '203.0.113.66, 198.51.100.1', '198.51.100.1'],
    ['is what the outer of two proxies has appended', 2, '10.0.0.1', '203.0.113.66, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['is what the inner proxy said when the outer was passed by', 2, '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is the proxy’s when it says nothing', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['is the proxy’s when it says nonsense', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['has no port', 1, '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['has no port in brackets', 1, '10.0.0.1', '[2001:db8:1:2::3]:4711', '2001:db8:1:2::/64'],
    ['stands for the network of an IPv6 peer', 0, '2001:0DB8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['stands for the network of a short IPv6 address', 0, '::1', undefined, '0:0:0:0::/64'],
    ['stands for the network of a link-local peer', 0, 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['is the IPv4 address that an IPv6 socket shows', 0, '::ffff:192.0.2.9', undefined, '192.0.2.9'],
  ] as const)('%s', (_what, proxies, peer, forwarded, expected) => {
    expect(addressReader(proxies)(request(peer, forwarded))).toBe(expected)
  })

  it('is empty when the peer is gone', () => {
    expect(addressReader()(request(undefined))).toBe('')
  })
})
