CREATE TABLE "admissions" (
	"organization_id" text NOT NULL,
	"signing_hash" text NOT NULL,
	"record_id" text NOT NULL,
	"record" text NOT NULL,
	CONSTRAINT "admissions_document_once" PRIMARY KEY("organization_id","signing_hash"),
	CONSTRAINT "admissions_record_id_once" UNIQUE("record_id")
);
--> statement-breakpoint
CREATE TABLE "agent_sessions" (
	"agent_id" text NOT NULL,
	"session_epoch" bigint NOT NULL,
	CONSTRAINT "agent_sessions_one_per_agent" PRIMARY KEY("agent_id")
);
--> statement-breakpoint
CREATE TABLE "artifact_refs" (
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"artifact_id" text NOT NULL,
	"content_hash" text NOT NULL,
	"work_item_id" text NOT NULL,
	CONSTRAINT "artifact_refs_once" PRIMARY KEY("space_id","sequence","artifact_id")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"entry" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_entry_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" text NOT NULL,
	"stage" text NOT NULL,
	"reason" text NOT NULL,
	"door" text NOT NULL,
	"space_id" text,
	"detail" text NOT NULL,
	CONSTRAINT "audit_entry_once" PRIMARY KEY("entry")
);
--> statement-breakpoint
CREATE TABLE "cards" (
	"agent_id" text NOT NULL,
	"card_version" bigint NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "cards_version_once" PRIMARY KEY("agent_id","card_version")
);
--> statement-breakpoint
CREATE TABLE "console_sessions" (
	"token_hash" text NOT NULL,
	"principal_id" text NOT NULL,
	"key_id" text NOT NULL,
	"expires_at" text NOT NULL,
	CONSTRAINT "console_sessions_token_once" PRIMARY KEY("token_hash")
);
--> statement-breakpoint
CREATE TABLE "cursors" (
	"agent_id" text NOT NULL,
	"group_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	CONSTRAINT "cursors_one_per_group" PRIMARY KEY("agent_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "executions" (
	"space_id" text NOT NULL,
	"work_item_id" text NOT NULL,
	"holder_agent_id" text,
	CONSTRAINT "executions_one_per_work_item" PRIMARY KEY("space_id","work_item_id")
);
--> statement-breakpoint
CREATE TABLE "graph_edges" (
	"space_id" text NOT NULL,
	"child" bigint NOT NULL,
	"parent" bigint NOT NULL,
	"provenance" text NOT NULL,
	CONSTRAINT "graph_edges_once" PRIMARY KEY("space_id","child","parent","provenance"),
	CONSTRAINT "graph_edges_point_back" CHECK ("graph_edges"."parent" < "graph_edges"."child")
);
--> statement-breakpoint
CREATE TABLE "graph_nodes" (
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"conversation_id" text,
	"work_item_id" text,
	CONSTRAINT "graph_nodes_one_per_event" PRIMARY KEY("space_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"token_hash" text NOT NULL,
	"name" text NOT NULL,
	"is_admin" boolean NOT NULL,
	"created_at" text NOT NULL,
	"expires_at" text NOT NULL,
	"consumed_at" text,
	CONSTRAINT "invitations_token_once" PRIMARY KEY("token_hash")
);
--> statement-breakpoint
CREATE TABLE "key_boundaries" (
	"key_id" text NOT NULL,
	"entry" integer NOT NULL,
	"valid_until" text,
	"revoked_at" text,
	"recorded_at" text,
	CONSTRAINT "key_boundaries_in_order" PRIMARY KEY("key_id","entry"),
	CONSTRAINT "key_boundaries_end_something" CHECK ("key_boundaries"."valid_until" is not null or "key_boundaries"."revoked_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"key_id" text NOT NULL,
	"public_key" text NOT NULL,
	"algorithm" text NOT NULL,
	"principal_type" text NOT NULL,
	"principal_id" text NOT NULL,
	"valid_from" text NOT NULL,
	"key_use" text NOT NULL,
	"custody" text NOT NULL,
	"label" text NOT NULL,
	CONSTRAINT "keys_id_bound_once" PRIMARY KEY("key_id"),
	CONSTRAINT "keys_public_key_bound_once" UNIQUE("public_key"),
	CONSTRAINT "keys_use_is_known" CHECK ("keys"."key_use" in ('authority', 'conversation', 'agent', 'service'))
);
--> statement-breakpoint
CREATE TABLE "log" (
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"event_id" text NOT NULL,
	"kind" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "log_one_event_per_sequence" PRIMARY KEY("space_id","sequence"),
	CONSTRAINT "log_event_id_once" UNIQUE("event_id"),
	CONSTRAINT "log_sequence_from_one" CHECK ("log"."sequence" >= 1)
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"space_id" text NOT NULL,
	"member_id" text NOT NULL,
	"role" text NOT NULL,
	"state" text NOT NULL,
	"membership_epoch" bigint NOT NULL,
	"visibility_start_sequence" bigint NOT NULL,
	"mission_id" text NOT NULL,
	CONSTRAINT "memberships_one_per_member" PRIMARY KEY("space_id","member_id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"message_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"author_id" text NOT NULL,
	CONSTRAINT "messages_one_per_event" PRIMARY KEY("space_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "missions" (
	"space_id" text NOT NULL,
	"mission_id" text NOT NULL,
	"title" text NOT NULL,
	"state" text NOT NULL,
	"owner_id" text NOT NULL,
	"head" bigint NOT NULL,
	"updated_at" text NOT NULL,
	CONSTRAINT "missions_one_per_space" PRIMARY KEY("space_id"),
	CONSTRAINT "missions_id_once" UNIQUE("mission_id")
);
--> statement-breakpoint
CREATE TABLE "principals" (
	"principal_id" text NOT NULL,
	"principal_type" text NOT NULL,
	"name" text NOT NULL,
	"is_admin" boolean NOT NULL,
	"created_at" text NOT NULL,
	CONSTRAINT "principals_id_once" PRIMARY KEY("principal_id"),
	CONSTRAINT "principals_type_is_known" CHECK ("principals"."principal_type" in ('agent', 'human', 'service'))
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"actor_id" text NOT NULL,
	"action_id" text NOT NULL,
	"signing_hash" text NOT NULL,
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"command" "bytea" NOT NULL,
	CONSTRAINT "receipts_action_id_once" PRIMARY KEY("actor_id","action_id"),
	CONSTRAINT "receipts_one_per_event" UNIQUE("space_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "spaces" (
	"space_id" text NOT NULL,
	"kind" text NOT NULL,
	"head" bigint NOT NULL,
	CONSTRAINT "spaces_id_once" PRIMARY KEY("space_id"),
	CONSTRAINT "spaces_kind_is_known" CHECK ("spaces"."kind" in ('mission', 'organization'))
);
--> statement-breakpoint
ALTER TABLE "key_boundaries" ADD CONSTRAINT "key_boundaries_of_known_key" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("key_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "artifact_refs_by_content" ON "artifact_refs" USING btree ("content_hash","space_id");--> statement-breakpoint
CREATE INDEX "executions_by_holder" ON "executions" USING btree ("holder_agent_id") WHERE "executions"."holder_agent_id" is not null;--> statement-breakpoint
CREATE INDEX "graph_edges_by_parent" ON "graph_edges" USING btree ("space_id","parent","child");--> statement-breakpoint
CREATE INDEX "memberships_by_member" ON "memberships" USING btree ("member_id");--> statement-breakpoint
CREATE INDEX "messages_by_conversation" ON "messages" USING btree ("space_id","conversation_id","sequence");