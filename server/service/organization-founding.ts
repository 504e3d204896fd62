import { invariant } from '../../protocol/result.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import { serviceKey } from './organization-keys.ts'
import type { Store } from './ports.ts'

/**
 * Registers the Organization's own services and their keys; a database that has them already stays as it is. Throws
 * InvariantViolation when the database belongs to another Organization: its log could not be continued.
 */
export async function registerServices(store: Pick<Store, 'directory' | 'log'>, organization: OrganizationKeys): Promise<void> {
  const [foreign] = (await store.log.listSpaces('organization')).filter((spaceId) => spaceId !== organization.organizationId)
  invariant(foreign === undefined, `the database holds the log of another Organization, ${foreign}; its key file is needed`)
  const { keys } = await store.directory.loadKeys()
  // The Organization's own keys come first; those of other services are registered later.
  const serviceKeys = keys.filter((key) => key.keyUse === 'service')
  const isOurs = serviceKeys.length === 0 || serviceKeys.some(({ keyId }) => keyId === organization.authority.keyId)
  invariant(isOurs, 'the database holds the service keys of another Organization; its key file is needed')
  for (const [service, name] of [[organization.authority, 'Group Authority'], [organization.registry, 'Registry'], [organization.router, 'I.A.P. router']] as const) {
    const principal = { principal: service.principal, name, isAdmin: false, createdAt: organization.createdAt }
    const outcome = await store.directory.register({ principal, keys: [serviceKey(organization, service)] })
    invariant(outcome === 'registered', `the ${name} or its key is registered under other terms`)
  }
}
