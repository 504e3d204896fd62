import { describe, expect, it } from 'vitest'
import { areInstalled, isOlder } from './install.mjs'

it.each([['18.20.4', true], ['20.9.0', true], ['20.19.0', false], ['20.20.2', false], ['22.0.0', false], ['100.0.0', false]])('Node %s is too old: %s', (version, expected) => {
  expect(isOlder(version, '20.19')).toBe(expected)
})

describe('dependencies', () => {
  const one = { version: '1.0.0', integrity: 'sha512-one' }
  const other = { version: '2.0.0', integrity: 'sha512-other' }
  const optional = { version: '3.0.0', integrity: 'sha512-optional' }
  const locked = {
    '': { name: 'project', version: '0.1.0' },
    'node_modules/one': one,
    'node_modules/other': other,
    'node_modules/optional': { ...optional, optional: true },
  }
  const all = { 'node_modules/one': one, 'node_modules/other': other, 'node_modules/optional': optional }

  it.each([
    ['npm installed every package as it is locked', all],
    ['only an optional package is missing', { 'node_modules/one': one, 'node_modules/other': other }],
    ['a package more than locked is there', { ...all, 'node_modules/extra': one }],
  ])('are installed when %s', (_case, installed) => {
    expect(areInstalled(locked, installed, (path: string) => path in installed)).toBe(true)
  })

  it('are installed when npm wrote an optional package down as left out', () => {
    const installed = { ...all, 'node_modules/optional': { ...optional, ideallyInert: true } }
    expect(areInstalled(locked, installed, (path: string) => path !== 'node_modules/optional')).toBe(true)
  })

  it.each([
    ['npm never ended', {}],
    ['a package is missing', { 'node_modules/one': one, 'node_modules/optional': optional }],
    ['a package has another version', { ...all, 'node_modules/other': { ...other, version: '2.0.1' } }],
    ['a package has other content under its version', { ...all, 'node_modules/other': { ...other, integrity: 'sha512-forked' } }],
    ['an optional package has another version', { ...all, 'node_modules/optional': { ...optional, version: '3.0.1' } }],
  ])('are not installed when %s', (_case, installed) => {
    expect(areInstalled(locked, installed, (path: string) => path in installed)).toBe(false)
  })

  it.each(['node_modules/other', 'node_modules/optional'])('are not installed when %s was deleted after npm had ended', (deleted) => {
    expect(areInstalled(locked, all, (path: string) => path !== deleted)).toBe(false)
  })
})
