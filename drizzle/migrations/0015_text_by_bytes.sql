-- One statement for each table, so that its indexes are built once.
DROP INDEX "nodes_by_name";--> statement-breakpoint
DROP INDEX "open_spaces_by_name";--> statement-breakpoint
ALTER TABLE "admissions"
  ALTER COLUMN "organization_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "signing_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "record_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "record" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "agent_sessions"
  ALTER COLUMN "agent_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "artifact_refs"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "artifact_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "content_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "work_item_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "audit"
  ALTER COLUMN "at" SET DATA TYPE text collate "C",
  ALTER COLUMN "stage" SET DATA TYPE text collate "C",
  ALTER COLUMN "reason" SET DATA TYPE text collate "C",
  ALTER COLUMN "door" SET DATA TYPE text collate "C",
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "detail" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "cards"
  ALTER COLUMN "agent_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "console_sessions"
  ALTER COLUMN "token_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "principal_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "key_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "expires_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "cursors"
  ALTER COLUMN "agent_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "group_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "executions"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "work_item_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "holder_agent_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "graph_edges"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "provenance" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "invitations"
  ALTER COLUMN "token_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "name" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "expires_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "consumed_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "key_boundaries"
  ALTER COLUMN "key_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "valid_until" SET DATA TYPE text collate "C",
  ALTER COLUMN "revoked_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "recorded_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "keys"
  ALTER COLUMN "key_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "public_key" SET DATA TYPE text collate "C",
  ALTER COLUMN "algorithm" SET DATA TYPE text collate "C",
  ALTER COLUMN "principal_type" SET DATA TYPE text collate "C",
  ALTER COLUMN "principal_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "valid_from" SET DATA TYPE text collate "C",
  ALTER COLUMN "key_use" SET DATA TYPE text collate "C",
  ALTER COLUMN "custody" SET DATA TYPE text collate "C",
  ALTER COLUMN "label" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "log"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "event_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "kind" SET DATA TYPE text collate "C",
  ALTER COLUMN "conversation_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "work_item_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "memberships"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "member_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "role" SET DATA TYPE text collate "C",
  ALTER COLUMN "state" SET DATA TYPE text collate "C",
  ALTER COLUMN "mission_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "missions"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "mission_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "title" SET DATA TYPE text collate "C",
  ALTER COLUMN "state" SET DATA TYPE text collate "C",
  ALTER COLUMN "owner_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "policy_log"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "area" SET DATA TYPE text collate "C",
  ALTER COLUMN "outcome" SET DATA TYPE text collate "C",
  ALTER COLUMN "at" SET DATA TYPE text collate "C",
  ALTER COLUMN "actor_type" SET DATA TYPE text collate "C",
  ALTER COLUMN "actor_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "action_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "kind" SET DATA TYPE text collate "C",
  ALTER COLUMN "reason" SET DATA TYPE text collate "C",
  ALTER COLUMN "code" SET DATA TYPE text collate "C",
  ALTER COLUMN "event_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "principals"
  ALTER COLUMN "principal_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "principal_type" SET DATA TYPE text collate "C",
  ALTER COLUMN "name" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "reactions"
  ALTER COLUMN "target_space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "event_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "reaction" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "receipts"
  ALTER COLUMN "actor_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "action_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "signing_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "spaces"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "kind" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "access_keys"
  ALTER COLUMN "access_key_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "key_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "label" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "expires_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "revoked_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "custodial_keys"
  ALTER COLUMN "principal_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "key_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "door_tokens"
  ALTER COLUMN "token_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "token_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "principal_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "doors" SET DATA TYPE text collate "C",
  ALTER COLUMN "label" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "expires_at" SET DATA TYPE text collate "C",
  ALTER COLUMN "revoked_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "iap_accounts"
  ALTER COLUMN "agent_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "capability_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "record" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "iap_cache"
  ALTER COLUMN "cache_key" SET DATA TYPE text collate "C",
  ALTER COLUMN "result" SET DATA TYPE text collate "C",
  ALTER COLUMN "task_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "stored_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "iap_outbox"
  ALTER COLUMN "agent_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "message_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "message" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "iap_received"
  ALTER COLUMN "agent_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "message_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "content_hash" SET DATA TYPE text collate "C",
  ALTER COLUMN "answers" SET DATA TYPE text collate "C",
  ALTER COLUMN "received_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "iap_records"
  ALTER COLUMN "task_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "record" SET DATA TYPE text collate "C",
  ALTER COLUMN "message_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "iap_tasks"
  ALTER COLUMN "task_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "proposer_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "status" SET DATA TYPE text collate "C",
  ALTER COLUMN "cache_key" SET DATA TYPE text collate "C",
  ALTER COLUMN "work" SET DATA TYPE text collate "C",
  ALTER COLUMN "ended_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "node_identities"
  ALTER COLUMN "namespace" SET DATA TYPE text collate "C",
  ALTER COLUMN "subject" SET DATA TYPE text collate "C",
  ALTER COLUMN "node_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "claims" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "nodes"
  ALTER COLUMN "node_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "principal_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "name" SET DATA TYPE text collate "C",
  ALTER COLUMN "claimed_name" SET DATA TYPE text collate "C",
  ALTER COLUMN "description" SET DATA TYPE text collate "C",
  ALTER COLUMN "meta" SET DATA TYPE text collate "C",
  ALTER COLUMN "access_key_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "open_message_nodes"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "node_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "open_messages"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "sender_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "content_type" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "open_spaces"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "name" SET DATA TYPE text collate "C",
  ALTER COLUMN "tags" SET DATA TYPE text collate "C",
  ALTER COLUMN "created_at" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "open_volumes"
  ALTER COLUMN "node_id" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "space_nodes"
  ALTER COLUMN "space_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "node_id" SET DATA TYPE text collate "C",
  ALTER COLUMN "description" SET DATA TYPE text collate "C";--> statement-breakpoint
CREATE INDEX "nodes_by_name" ON "nodes" USING btree ("name","node_id");--> statement-breakpoint
CREATE INDEX "open_spaces_by_name" ON "open_spaces" USING btree ("name");
