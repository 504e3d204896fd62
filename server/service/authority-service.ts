// Puts the service together. Everything that the doors may ask of the authority hangs on what this returns.
import { HELD_BY_SERVER } from '../../protocol/custody.ts'
import { invariant } from '../../protocol/result.ts'
import type { ReplacedSession } from '../authority/session-replaced.ts'
import type { Log } from '../log.ts'
import { AcceptedActions } from './accepted-actions.ts'
import { AgentMirror } from './agent-mirror.ts'
import { AgentSessions } from './agent-sessions.ts'
import { exportReceipt } from './approval-receipt.ts'
import { archiveGroup } from './archive-keeper.ts'
import { AuditTrail } from './audit-trail.ts'
import { CommandPath } from './command-path.ts'
import { ConsoleSessions } from './console-sessions.ts'
import { readDataSchema } from './data-schema.ts'
import { EnrolmentKeys } from './doors/access-keys.ts'
import { HeldKeys } from './doors/custody.ts'
import { IssuedTokens } from './doors/door-tokens.ts'
import { ExecutionTokens } from './execution-tokens.ts'
import { FeedCursors } from './feed-cursors.ts'
import { TailFeeds } from './feeds.ts'
import { exportGroup } from './group-export.ts'
import { DirectoryIdentities } from './identities.ts'
import { SeatedRouter } from './iap/seated-router.ts'
import type { IapOptions } from './iap/types.ts'
import { Invitations } from './invitations.ts'
import { MembershipWatch } from './membership-watch.ts'
import { createNativeVerifier } from './native-ed25519.ts'
import { NodeNews } from './node-news.ts'
import { registerServices } from './organization-founding.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import { governedLog } from './open-spaces/governed-log.ts'
import type { SenderQuota } from './open-spaces/limits.ts'
import { OpenSpacesService } from './open-spaces/open-spaces-service.ts'
import { verifyOpenSpaces } from './open-spaces/verify-open-space.ts'
import { Outbox } from './outbox.ts'
import { PolicyLog } from './policy-log.ts'
import { PolicyMirror } from './policy-mirror.ts'
import type { ArtifactStore, ReadModels, Store } from './ports.ts'
import { ProfileMirror } from './profile-mirror.ts'
import { ReaderView } from './reader-view.ts'
import { RegistryMirror } from './registry-mirror.ts'
import { RegistryService } from './registry-service.ts'
import { Retention } from './retention.ts'
import type { AuthorityService } from './service.ts'
import { SpaceActors } from './space-actors.ts'
import { newFold, OrganizationFold } from './space-fold.ts'
import { SpaceReads } from './space-reads.ts'
import { SpaceTails } from './space-tails.ts'
import { verifyLog } from './verify-log.ts'

export interface AuthorityOptions {
  readonly store: Store
  readonly artifacts: ArtifactStore
  readonly organization: OrganizationKeys
  /** Public origin of the server, the audience of every signed challenge. */
  readonly origin: string
  readonly diagnostics: Log
  readonly iap?: IapOptions
  /** What each Principal may write to open Spaces, where it is not as usual. */
  readonly openQuota?: SenderQuota
}

/** Cards that an interrupted registration left out of the Directory are found again in this many Events. */
const organizationTail = 256

/** Starts the authority on a store. `stop` ends it; the store stays open. */
export async function createAuthorityService({ store, artifacts, organization, origin, diagnostics, iap: iapOptions, openQuota }: AuthorityOptions): Promise<AuthorityService> {
  const { log, readModels, directory, clock } = store
  const { organizationId } = organization
  await registerServices(store, organization)
  const keys = await RegistryMirror.load(directory, clock, organizationId)
  const agents = await AgentMirror.load(directory)
  const policies = new PolicyMirror(organizationId, log)
  const profiles = new ProfileMirror()
  const cardOf = (agentId: string) => agents.cardOf(agentId)
  const verifySignature = createNativeVerifier()
  const audit = new AuditTrail(directory, clock, diagnostics)
  const rulings = new PolicyLog({ store: store.rulings, policies, clock, diagnostics })
  const tails = new SpaceTails(log)
  const watch = new MembershipWatch()
  const news = new NodeNews({ log, directory, wakeUps: store.wakeUps, organizationId, agents, policies, profiles, tails, watch, diagnostics })
  const actors = new SpaceActors({
    log: governedLog(log),
    readModels,
    actions: new AcceptedActions(),
    clock,
    organization,
    diagnostics,
    policies,
    facts: {
      cardOf,
      sessionEpochOf: (agentId) => agents.sessionEpochOf(agentId),
      isAdmin: (principalId) => identities.principal(principalId)?.isAdmin === true,
      isDataSchema: (text) => readDataSchema(text) !== undefined,
    },
    openFold: async (spaceId) => {
      if (spaceId === organizationId) return new OrganizationFold(Math.max(0, (await log.head(organizationId)) - organizationTail))
      if (spaceId === policies.spaceId) return newFold('policy', spaceId)
      return newFold((await openSpaces.exists(spaceId)) ? 'open' : 'mission', spaceId)
    },
    onCommitted: (spaceId, entries, memberIds) => news.committed(spaceId, entries, memberIds),
    onReactions: (reactions) => outbox.take(reactions),
    onRead: (spaceId, events, head) => news.read(spaceId, events, head),
  })
  const outbox = new Outbox({ log, submit: (spaceId, work) => actors.submit(spaceId, work), diagnostics })
  const isCurrentSession: AuthorityService['sessions']['isCurrent'] = (session) => sessions.isCurrent(session)
  const path = new CommandPath({ organizationId, log, keys, policies, profiles, cardOf, actors, clock, verifySignature, audit, rulings, diagnostics, isCurrentSession })
  const registry = new RegistryService({ organization, origin, clock, directory, submit: (command, handshake) => path.submit(command, { door: 'internal', ...(handshake && { handshake }) }) })
  const sessions = new AgentSessions({
    directory,
    keys,
    agents,
    registry,
    verifySignature,
    clock,
    audience: origin,
    isActiveAtDoors: (agentId) => tokens.isActive(agentId),
    lastSeenAtDoorsMs: (agentId) => tokens.lastSeenMs(agentId),
    async revokeLeases(session) {
      // What was decided on the old epoch is in the read model once it is committed; what comes later is fenced.
      await actors.batchesOver()
      const spaceIds = await readModels.spacesWithActiveLease(session.agentId)
      await Promise.all(spaceIds.map((spaceId) => endLeases(actors, spaceId, session, diagnostics)))
    },
  })
  const identities = await DirectoryIdentities.load({ ownKeyIds: [organization.authority, organization.registry, organization.router].map(({ keyId }) => keyId), directory, keys, policies, agents, registry, verifySignature, clock, invitations: new Invitations(directory, clock), announce: () => news.directoryChanged() })
  const openSpaces = new OpenSpacesService({
    store: store.openSpaces,
    log,
    tails,
    clock,
    ...(openQuota && { quota: openQuota }),
    principal: (id) => identities.principal(id),
    isEstablished: async (id) => identities.keysOf(id).length > 0 || (await readModels.membershipsOf(id)).length > 0,
    onPrincipal: (record) => identities.stored(record),
    onChanged: () => news.directoryChanged(),
    onCommitted: (spaceId, entries) => news.committed(spaceId, entries, []),
    onFault: (fault) => diagnostics.warn({ err: fault }, 'what is new in open Spaces could not be read yet'),
  })
  const view = new ReaderView(actors, organization.authority)
  const reads = new SpaceReads({ rulings: store.rulings, log, readModels, artifacts, actors, view, watch, clock, organizationId, diagnostics })
  const feeds = new TailFeeds(tails, reads, view)
  const tokens = new IssuedTokens({
    store: store.credentials,
    wakeUps: store.wakeUps,
    clock,
    principal: async (id) => identities.principal(id) ?? directory.findPrincipal(id),
    onFault: (fault) => diagnostics.warn({ err: fault }, 'a token could not be looked up again yet'),
  })
  const accessKeys = new EnrolmentKeys({ store: store.credentials, clock })
  const submitCommand: AuthorityService['submitCommand'] = (command, context) => path.submit(command, context)
  const custody = new HeldKeys({ secret: organization.custodySecret, store: store.credentials, log, identities, validKey: (keyId) => keys.validKey(keyId)?.key, sessions, agents, reads, submit: submitCommand, clock })
  await Promise.all([actors.read(organizationId), actors.read(policies.spaceId)])
  news.start({ actors, keys, identities, openSpaces })
  outbox.start()
  const work = {
    custody,
    holdsOwnKey: (principalId: string) => identities.keysOf(principalId).some((key) => key.custody !== HELD_BY_SERVER && keys.validKey(key.keyId) !== undefined),
    policy: () => policies.current,
    reads,
    stateOf: async (groupId: string) => (await actors.read(groupId)).group,
    feeds,
    artifacts,
    origin,
    router: organization.router,
    submit: submitCommand,
  }
  const iap = await SeatedRouter.start({ store: store.iap, work, spaces: openSpaces, clock, organizationId, diagnostics, ...(iapOptions && { options: iapOptions }) }, store.iapSeat)
  const retention = new Retention(store, clock, diagnostics)
  retention.start()
  const watching = watchExecutions(actors, agents, readModels).catch((fault: unknown) => diagnostics.error({ err: fault }, 'the timers of some Missions do not run'))
  let isStopping = false

  return {
    organization: { organizationId, name: organization.name, origin, authority: identityOf(organization) },
    clock,
    sessions,
    feeds,
    cursors: new FeedCursors(directory, reads),
    reads,
    readModels,
    identities,
    policy: {
      spaceId: policies.spaceId,
      get current() {
        return policies.current
      },
      get profiles() {
        return profiles.current
      },
      history: (after, limit) => policies.history(after, limit),
      rulings: (range) => store.rulings.list(range),
      failures: (range) => directory.auditEntries(range),
    },
    console: new ConsoleSessions({ directory, clock, audience: origin, validKey: (keyId) => keys.validKey(keyId)?.key }),
    artifacts,
    archives: {
      archive: (groupId, options) => archiveGroup({ organization, actors, artifacts, clock, submit: (command) => path.submit(command, { door: 'internal' }) }, groupId, options),
      export: (groupId) => exportGroup({ organization, actors, log, keys, clock }, groupId),
    },
    openSpaces,
    iap,
    executionTokens: new ExecutionTokens({ authority: organization.authority, reads, sessions, agents, catchUp: (groupId) => caughtUp(actors, organizationId, groupId), verifySignature, clock }),
    doors: { tokens, accessKeys, custody },
    submitCommand,
    signAsAuthority: organization.authority.sign,
    receiptFor: (principalId, missionId) => exportReceipt({ organization, reads, log, keys, artifacts, clock }, principalId, missionId),
    async verifyLog() {
      const governed = await verifyLog({ log, readModels, registry: keys, verifySignature, liveState: (groupId) => reads.fingerprintOf(groupId) })
      return [...governed, ...(await verifyOpenSpaces({ log, readModels, openSpaces: store.openSpaces }))]
    },
    ready: async () => !isStopping && (await isReachable(store)),
    async stop() {
      invariant(!isStopping, 'the service is stopped once')
      isStopping = true
      await news.stop()
      sessions.stop()
      tokens.stop()
      await iap.stop()
      await outbox.stop()
      await openSpaces.stop()
      await actors.stop()
      await watching
      await audit.settled()
      await rulings.settled()
      await retention.stop()
    },
  }
}

const identityOf = ({ authority: { principal, keyId, publicKey } }: OrganizationKeys) => ({ principal, keyId, publicKey })

/** Cards and Session Epochs stand in the Organization's Space, so both have to be up to date. */
async function caughtUp(actors: SpaceActors, organizationId: string, groupId: string): Promise<void> {
  await Promise.all([actors.catchUp(organizationId), actors.catchUp(groupId)])
  await actors.read(organizationId)
}

/** A lease whose end cannot be recorded now serves no later Session and runs out by itself: one Space bars the Agent from no other. */
async function endLeases(actors: SpaceActors, spaceId: string, session: ReplacedSession, diagnostics: Log): Promise<void> {
  try {
    const { type } = await actors.submit(spaceId, { type: 'session-replaced', session })
    if (type === 'refused') diagnostics.warn({ spaceId }, 'leases of an earlier session have to run out')
  } catch (fault) {
    diagnostics.error({ err: fault, spaceId }, 'leases of an earlier session have to run out')
  }
}

/** Execution and blocked leases that ran when the server stopped may have run out meanwhile, in Spaces that nobody touches. */
async function watchExecutions(actors: SpaceActors, agents: AgentMirror, readModels: ReadModels): Promise<void> {
  const spaceIds = new Set<string>()
  for (const { agentId } of agents.cards()) for (const spaceId of await readModels.spacesWithActiveLease(agentId)) spaceIds.add(spaceId)
  await actors.watch([...spaceIds])
}

async function isReachable({ log }: Store): Promise<boolean> {
  try {
    await log.head('')
    return true
  } catch {
    return false
  }
}
