// The members of a Command's payload, read from its schema.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandPayloadKind } from '../../protocol/validate.ts'
import { root } from '../install.mjs'

/** The part of JSON Schema that payloads use. */
interface Schema {
  readonly description?: string
  readonly type?: string
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

export interface PayloadMember {
  readonly name: string
  /** In words: `id`, `text of 1 to 200 characters`, `list of WorkContract, at least 1`. */
  readonly type: string
  readonly isRequired: boolean
}

export interface PayloadShape {
  /** What the Command is for, in one sentence. */
  readonly purpose: string
  readonly members: readonly PayloadMember[]
}

/** Throws when there is no schema for the kind. */
export function payloadShape(kind: CommandPayloadKind): PayloadShape {
  const path = join(root, 'schemas', 'payloads', 'commands', `${kind}.schema.json`)
  const { description = '', properties = {}, required = [] } = JSON.parse(readFileSync(path, 'utf8')) as Schema
  const members = Object.entries(properties).map(([name, schema]) => ({ name, type: typeWords(schema), isRequired: required.includes(name) }))
  return { purpose: description, members }
}

function typeWords(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' or ')
  const choices = schema.oneOf ?? schema.anyOf
  if (choices) return choices.map(typeWords).join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeWords(schema.items) : 'anything'}${rangeWords(schema.minItems, schema.maxItems)}`
  if (schema.type === 'object') return objectWords(schema)
  if (schema.type === 'string') return `text${rangeWords(schema.minLength, schema.maxLength)}`
  return `${schema.type ?? 'anything'}${rangeWords(schema.minimum, schema.maximum)}`
}

function objectWords({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => `\`${name}\`${required.includes(name) ? '' : '?'}: ${typeWords(schema)}`)
  return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`
}

/** `…/common.schema.json#/$defs/id` is `id`, `…/work-contract.schema.json` is `work-contract`. */
function nameOf(reference: string): string {
  const last = reference.split(/[/:]/).at(-1) ?? reference
  return `*${last.replace('.schema.json', '')}*`
}

function rangeWords(least?: number, most?: number): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`
  if (least !== undefined && least > 0) return `, at least ${least}`
  return most === undefined ? '' : `, at most ${most}`
}
