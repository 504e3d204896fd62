// Whose request this is, as far as quotas are concerned: the peer's address, or what trusted proxies say of it.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

export type FindAddress = (request: IncomingMessage) => string

/**
 * Reads a request's address behind so many proxies, each of which appends the address that called it to `X-Forwarded-For`.
 * Only what they have appended is believed. An IPv6 peer owns its whole network, so the network stands for it.
 */
export function addressReader(trustedProxies = 0): FindAddress {
  return (request) => {
    const peer = request.socket.remoteAddress ?? ''
    const forwarded = trustedProxies > 0 ? forwardedFor(request).slice(-trustedProxies)[0] : undefined
    return networkOf(forwarded !== undefined && isIP(forwarded) > 0 ? forwarded : peer)
  }
}

function forwardedFor({ headers }: IncomingMessage): readonly string[] {
  const listed = headers['x-forwarded-for'] ?? ''
  return String(listed).split(',').map((entry) => withoutPort(entry.trim()))
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string => /^\[([^\]]*)\]/.exec(entry)?.[1] ?? (/^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry)

/** An IPv4 address as it is, an IPv6 address by its first 64 bits. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Math.max(0, 8 - first!.length - last!.length)
  const groups = [...first!, ...Array.from({ length: zeros }, () => '0'), ...last!].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
