import { describe, expect, it } from 'vitest'
import { ConfigError, isLoopback, readConfig } from './config.ts'

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
    return []
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.problems
    throw fault
  }
}

describe('settings', () => {
  it('default to a server for this machine alone', () => {
    expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 4310, logLevel: 'info', hasConsole: true, isDevelopment: false, allowedOrigins: [], trustedProxies: 0, openQuota: { messages: 1_000_000, bytes: 1024 ** 3 } })
    expect(readConfig({})).not.toHaveProperty('databaseUrl')
  })

  it('read what the environment says, and take an empty value for none', () => {
    const env = { HOST: '::1', PORT: '0', DATABASE_URL: '', PUBLIC_ORIGIN: 'https://missions.example.org', ALLOWED_ORIGINS: 'https://a.example, https://b.example', TRUSTED_PROXY: '2', OPEN_MESSAGES_PER_PRINCIPAL: '0', OPEN_BYTES_PER_PRINCIPAL: '5000', COUNTERSIGN_NO_CONSOLE: '1', NODE_ENV: 'development' }
    expect(readConfig(env)).toMatchObject({ host: '::1', port: 0, publicOrigin: 'https://missions.example.org', allowedOrigins: ['https://a.example', 'https://b.example'], trustedProxies: 2, openQuota: { messages: 0, bytes: 5000 }, hasConsole: false, isDevelopment: true })
    expect(readConfig(env)).not.toHaveProperty('databaseUrl')
  })

  it('name every problem at once', () => {
    expect(problemsOf({ PORT: 'x', DATABASE_URL: 'mysql://root:secret@db.example/missions', LOG_LEVEL: 'loud', PUBLIC_ORIGIN: 'missions.example.org', TLS_CERT: '/nowhere', TRUSTED_PROXY: '10.0.0.1', OPEN_MESSAGES_PER_PRINCIPAL: '-1', OPEN_BYTES_PER_PRINCIPAL: '1 GiB' })).toHaveLength(8)
  })

  it('never repeat a password', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://root:secret@db.example/missions' })).toEqual([expect.not.stringContaining('secret')])
    expect(problemsOf({ DATABASE_URL: 'postgresql://root:secret@/missions?host=/run/postgresql' })).toEqual([])
  })

  it.each(['https://a.example/path', 'ftp://a.example', 'null', 'https://a.example:0x50'])('refuse the origin %s', (origin) => {
    expect(problemsOf({ ALLOWED_ORIGINS: origin })).toHaveLength(1)
  })
})

describe('an address that other machines reach', () => {
  it('needs TLS or the word that plain text is meant, and always a public origin', () => {
    expect(problemsOf({ HOST: '0.0.0.0' })).toHaveLength(2)
    expect(problemsOf({ HOST: '0.0.0.0', PUBLIC_ORIGIN: 'https://missions.example.org' })).toEqual([expect.stringContaining('without encryption')])
    expect(problemsOf({ HOST: '0.0.0.0', PUBLIC_ORIGIN: 'https://missions.example.org', ALLOW_PLAINTEXT: '1' })).toEqual([])
  })

  it.each([['127.0.0.1', true], ['127.9.9.9', true], ['::1', true], ['localhost', true], ['0.0.0.0', false], ['::', false], ['10.0.0.1', false], ['127.evil.example', false]])('%s: loopback is %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected)
  })
})
