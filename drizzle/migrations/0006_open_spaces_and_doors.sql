CREATE TABLE "access_keys" (
	"access_key_id" text NOT NULL,
	"key_hash" text NOT NULL,
	"label" text NOT NULL,
	"created_at" text NOT NULL,
	"expires_at" text,
	"revoked_at" text,
	CONSTRAINT "access_keys_id_once" PRIMARY KEY("access_key_id"),
	CONSTRAINT "access_keys_hash_once" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "custodial_keys" (
	"principal_id" text NOT NULL,
	"key_id" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	CONSTRAINT "custodial_keys_one_per_principal" PRIMARY KEY("principal_id")
);
--> statement-breakpoint
CREATE TABLE "door_tokens" (
	"token_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"principal_id" text NOT NULL,
	"doors" text NOT NULL,
	"label" text NOT NULL,
	"created_at" text NOT NULL,
	"expires_at" text,
	"revoked_at" text,
	CONSTRAINT "door_tokens_id_once" PRIMARY KEY("token_id"),
	CONSTRAINT "door_tokens_hash_once" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "iap_cache" (
	"cache_key" text NOT NULL,
	"result" text NOT NULL,
	"task_id" text NOT NULL,
	"stored_at" text NOT NULL,
	CONSTRAINT "iap_cache_key_once" PRIMARY KEY("cache_key")
);
--> statement-breakpoint
CREATE TABLE "iap_outbox" (
	"agent_id" text NOT NULL,
	"entry" bigint GENERATED ALWAYS AS IDENTITY (sequence name "iap_outbox_entry_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" text NOT NULL,
	"message" text NOT NULL,
	"created_at" text NOT NULL,
	CONSTRAINT "iap_outbox_entry_once" PRIMARY KEY("agent_id","entry"),
	CONSTRAINT "iap_outbox_message_once" UNIQUE("agent_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "iap_received" (
	"agent_id" text NOT NULL,
	"message_id" text NOT NULL,
	"content_hash" text NOT NULL,
	"answers" text NOT NULL,
	"received_at" text NOT NULL,
	CONSTRAINT "iap_received_once" PRIMARY KEY("agent_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "iap_tasks" (
	"task_id" text NOT NULL,
	"space_id" text NOT NULL,
	"proposer_id" text NOT NULL,
	"status" text NOT NULL,
	"is_over" boolean NOT NULL,
	CONSTRAINT "iap_tasks_id_once" PRIMARY KEY("task_id")
);
--> statement-breakpoint
CREATE TABLE "node_identities" (
	"namespace" text NOT NULL,
	"subject" text NOT NULL,
	"node_id" text NOT NULL,
	"claims" text,
	CONSTRAINT "node_identities_pair_once" PRIMARY KEY("namespace","subject")
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"node_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"name" text NOT NULL,
	"claimed_name" text,
	"description" text NOT NULL,
	"meta" text NOT NULL,
	"access_key_id" text,
	"created_at" text NOT NULL,
	CONSTRAINT "nodes_id_once" PRIMARY KEY("node_id"),
	CONSTRAINT "nodes_one_per_principal" UNIQUE("principal_id"),
	CONSTRAINT "nodes_claimed_name_once" UNIQUE("claimed_name")
);
--> statement-breakpoint
CREATE TABLE "open_head" (
	"id" integer NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "open_head_id_once" PRIMARY KEY("id"),
	CONSTRAINT "open_head_is_one_row" CHECK ("open_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "open_message_nodes" (
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"node_id" text NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "open_message_nodes_once" PRIMARY KEY("space_id","sequence","node_id")
);
--> statement-breakpoint
CREATE TABLE "open_messages" (
	"space_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"position" bigint NOT NULL,
	"sender_id" text NOT NULL,
	"is_broadcast" boolean NOT NULL,
	"content_type" text,
	CONSTRAINT "open_messages_once" PRIMARY KEY("space_id","sequence"),
	CONSTRAINT "open_messages_position_once" UNIQUE("position")
);
--> statement-breakpoint
CREATE TABLE "open_spaces" (
	"space_id" text NOT NULL,
	"name" text NOT NULL,
	"tags" text NOT NULL,
	"created_at" text NOT NULL,
	CONSTRAINT "open_spaces_id_once" PRIMARY KEY("space_id"),
	CONSTRAINT "open_spaces_name_once" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "space_nodes" (
	"space_id" text NOT NULL,
	"node_id" text NOT NULL,
	"description" text NOT NULL,
	CONSTRAINT "space_nodes_once" PRIMARY KEY("space_id","node_id")
);
--> statement-breakpoint
ALTER TABLE "spaces" DROP CONSTRAINT "spaces_kind_is_known";--> statement-breakpoint
ALTER TABLE "node_identities" ADD CONSTRAINT "node_identities_of_known_node" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("node_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "door_tokens_by_principal" ON "door_tokens" USING btree ("principal_id");--> statement-breakpoint
CREATE INDEX "iap_tasks_going_on" ON "iap_tasks" USING btree ("task_id") WHERE not "iap_tasks"."is_over";--> statement-breakpoint
CREATE INDEX "node_identities_by_node" ON "node_identities" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "open_message_nodes_by_node" ON "open_message_nodes" USING btree ("node_id","position");--> statement-breakpoint
CREATE INDEX "open_message_nodes_in_space" ON "open_message_nodes" USING btree ("space_id","node_id","sequence");--> statement-breakpoint
CREATE INDEX "open_messages_by_sender" ON "open_messages" USING btree ("sender_id","position");--> statement-breakpoint
CREATE INDEX "open_messages_broadcasts" ON "open_messages" USING btree ("space_id","sequence") WHERE "open_messages"."is_broadcast";--> statement-breakpoint
CREATE INDEX "space_nodes_by_node" ON "space_nodes" USING btree ("node_id");--> statement-breakpoint
ALTER TABLE "spaces" ADD CONSTRAINT "spaces_kind_is_known" CHECK ("spaces"."kind" in ('mission', 'organization', 'policy', 'open'));--> statement-breakpoint
INSERT INTO "open_head" ("id", "position") VALUES (1, 0);
