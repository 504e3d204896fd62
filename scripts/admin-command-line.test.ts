import { describe, expect, it } from 'vitest'
import { readCommandLine, UsageError } from './admin-command-line.ts'

const read = (line: string) => readCommandLine(line.split(' '))

describe('the command line of the operator', () => {
  it('gives the command its arguments, and leaves out what was not said', () => {
    expect(readCommandLine(['agent', 'add', 'Link checker', '--custodial', '--door', 'mcp', '--door', 'ioa', '--capability', 'release.link-check@1.0.0', '--days', '30', '--data', 'here', '--json'])).toEqual({
      command: 'agent add',
      args: { name: 'Link checker', isCustodial: true, doors: ['mcp', 'ioa'], days: 30, capabilities: [{ id: 'release.link-check', version: '1.0.0' }] },
      dataDir: 'here',
      isJson: true,
    })
    expect(read('invite create --admin --ttl 12h')).toMatchObject({ args: { isAdmin: true, ttlSeconds: 43_200 } })
    expect(read('policy log --limit 5')).toMatchObject({ args: { limit: 5 } })
    expect(read('agent add --help')).toBe('help')
  })

  it.each([
    ['agents list', 'there is no command "agents list"'],
    ['token revoke', 'the token id is missing'],
    ['agent add Writer', '--public-key, or --custodial, is missing'],
    ['agent add Writer --custodial --door mcp', '--capability is missing'],
    ['agent add Writer --custodial --capability a.b@1.0.0', '--door is missing'],
    ['agent add Writer --public-key K --capability a.b', '--capability looks like'],
    ['agent add Link checker --public-key K --capability a.b@1.0.0', '"checker" is a word too many'],
    ['token create Writer --door mcp --days many', '--days takes a whole number, not "many"'],
    ['invite create --ttl 5', '--ttl looks like'],
    ['agent list --loud', "Unknown option '--loud'"],
  ])('%s: %s', (line, message) => {
    expect(() => read(line)).toThrow(UsageError)
    expect(() => read(line)).toThrow(message)
  })
})
