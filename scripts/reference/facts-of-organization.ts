// Policy, Conversations, cards and Sessions: what no schema says of their Commands. Read off the deciders.
import type { CommandFacts } from './checks.ts'
import { leaseOfCoordinator, newId, notOver, ownerOrCoordinator, ownerOrService } from './checks.ts'

export const FACTS_OF_ORGANIZATION = {
  'policy.grant_cooperation_override': {
    sender: 'The MissionOwner, or a service under policy.',
    revision: '0: the grant is new',
    checks: [
      ownerOrService,
      ['The beneficiary is an active member.', 'AUTH_FORBIDDEN'],
      newId,
      ['The limit named holds the Command kind named back.', 'INVALID_COMMAND'],
      ['The grant ends in time to come, before the Mission.', 'INVALID_COMMAND'],
      notOver,
    ],
    effects: 'One Command, by kind and Action ID, may pass one limit once.',
    events: '`policy.cooperation_override.granted`.',
  },
  'ext.countersign.conversation.open': {
    sender: 'The MissionOwner or the Coordinator.',
    revision: '0: the Conversation is new',
    checks: [
      ownerOrCoordinator, newId,
      ['Every participant is an active member.', 'INVALID_COMMAND'],
      ['The WorkItem, if one is named, exists.', 'INVALID_COMMAND'],
      leaseOfCoordinator, notOver,
    ],
    effects: 'A Conversation in which its participants, the owner and the Coordinator post; a restricted one is read by nobody else.',
    events: '`ext.countersign.conversation.opened`.',
  },
  'ext.countersign.iap.record': {
    sender: 'The I.A.P. router.',
    revision: 'the Group’s sequence',
    checks: [
      ['The sender is the router of this Organization.', 'AUTH_FORBIDDEN'],
      newId,
      ['The WorkItem exists.', 'INVALID_COMMAND'],
      ['Whoever the record names belongs to the Group, or did.', 'AUTH_FORBIDDEN'],
      ['What it refers to is in the log.', 'INVALID_COMMAND'],
      ['A proposal is that of the Coordinator, or of a delegate under its Grant, and the first record of its task, in an active Mission; anything else follows one.', 'INVALID_COMMAND', 'AUTH_FORBIDDEN', 'INVALID_STATE_TRANSITION'],
    ],
    effects: 'A step of a negotiation about the WorkItem can be read. The WorkItem stays as it is.',
    events: '`ext.countersign.iap.recorded`.',
  },
  'ext.countersign.policy.change': {
    sender: 'An administrator of the Organization with an authority key, in the Space of the policy.',
    revision: 'the version of the policy in force; it may not be left out',
    checks: [
      ['The sender is an administrator with an authority key and cites Membership Epoch 1.', 'AUTH_FORBIDDEN', 'MEMBERSHIP_STALE'],
      ['The Command replaces the version in force by the next one.', 'INVALID_COMMAND', 'REVISION_CONFLICT'],
      ['No service is named twice.', 'INVALID_COMMAND'],
    ],
    effects: 'The policy is in force from its Event on, on every node.',
    events: '`ext.countersign.policy.changed`.',
  },
  'ext.countersign.profile.approve': {
    sender: 'An administrator of the Organization with an authority key, in the Space of the policy.',
    revision: 'that of the profile, which counts its approvals and retirements from 0 on; it may not be left out',
    checks: [
      ['The sender is an administrator with an authority key and cites Membership Epoch 1.', 'AUTH_FORBIDDEN', 'MEMBERSHIP_STALE'],
      ['The Command cites the revision of the profile.', 'INVALID_COMMAND', 'REVISION_CONFLICT'],
      ['The sender has signed the profile itself, and not for later.', 'AUTH_FORBIDDEN', 'INVALID_COMMAND'],
      ['Neither its URI nor its kinds lie in a namespace of the protocol or of this server.', 'INVALID_COMMAND'],
      ['The version is later than the one in force of the same major version.', 'INVALID_COMMAND'],
      ['The schema is the one whose hash the profile names, and one that data can be held against.', 'INVALID_COMMAND'],
    ],
    effects: 'Data of this profile may be marked critical: in this major version, up to this version, by senders with the capabilities it requires.',
    events: '`ext.countersign.profile.approved`.',
  },
  'ext.countersign.profile.retire': {
    sender: 'An administrator of the Organization with an authority key, in the Space of the policy.',
    revision: 'that of the profile; it may not be left out',
    checks: [
      ['The sender is an administrator with an authority key and cites Membership Epoch 1.', 'AUTH_FORBIDDEN', 'MEMBERSHIP_STALE'],
      ['The Command cites the revision of the profile.', 'INVALID_COMMAND', 'REVISION_CONFLICT'],
      ['This version is in force.', 'INVALID_COMMAND'],
    ],
    effects: 'This major version is not understood any more. What Groups hold of it stays.',
    events: '`ext.countersign.profile.retired`.',
  },
  'ext.missionweaveprotocol.core.group_archive': {
    sender: 'The Group Authority, or an archival service that policy names with this kind.',
    revision: 'the sequence of the Group',
    checks: [
      ['The sender is a service, and the signed snapshot is its own.', 'AUTH_FORBIDDEN'],
      ['The snapshot ends where the log does.', 'REVISION_CONFLICT'],
      newId,
      ['The snapshot was made between the last Event and the Command, and covers what is to leave the online log.', 'INVALID_COMMAND'],
      ['The Mission is over, and so are its child Missions.', 'INVALID_STATE_TRANSITION'],
      ['The snapshot names this Group, its Events, its Policy Log and the hash of its state.', 'INVALID_COMMAND'],
    ],
    effects: 'The Group is archived: nothing is accepted any more. Positions before `firstOnlineSequence` get CURSOR_TOO_OLD with the hash of the snapshot.',
    events: '`group.archived`; right before it in the log, `group.snapshot.created`.',
  },
  'ext.missionweaveprotocol.registry.agent_card_register': {
    sender: 'The Registry of the Organization; the Command has no Group and no epochs.',
    revision: 'the version of the Agent’s card, 0 without one',
    checks: [
      ['The sender is the Registry, with a key for services.', 'AUTH_FORBIDDEN'],
      ['The version of the card is higher than the one registered.', 'REVISION_CONFLICT'],
      ['The card was issued for this Organization.', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The card is in force.',
    events: '`ext.missionweaveprotocol.registry.agent_card_registered`, in the Organization’s log.',
  },
  'ext.missionweaveprotocol.identity.session_open': {
    sender: 'The Registry of the Organization, at the end of a handshake; the Command has no Group and no epochs.',
    revision: 'nothing',
    checks: [
      ['The sender is the Registry, with a key for services.', 'AUTH_FORBIDDEN'],
      ['The Agent has a valid card.', 'INVALID_COMMAND'],
      ['The Agent has just proved its key in a handshake.', 'AUTH_FORBIDDEN'],
    ],
    effects: 'The Agent has the next Session Epoch; older Sessions and the Execution Leases held in them are over.',
    events: '`ext.missionweaveprotocol.identity.session_opened`, in the Organization’s log.',
  },
} satisfies Record<string, CommandFacts>
