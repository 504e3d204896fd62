CREATE TABLE "iap_accounts" (
	"agent_id" text NOT NULL,
	"capability_id" text NOT NULL,
	"record" text NOT NULL,
	CONSTRAINT "iap_accounts_capability_once" PRIMARY KEY("agent_id","capability_id")
);
--> statement-breakpoint
CREATE TABLE "iap_records" (
	"task_id" text NOT NULL,
	"ordinal" bigint NOT NULL,
	"record" text NOT NULL,
	"message_id" text,
	CONSTRAINT "iap_records_ordinal_once" PRIMARY KEY("task_id","ordinal")
);
--> statement-breakpoint
ALTER TABLE "iap_tasks" ADD COLUMN "cache_key" text;--> statement-breakpoint
CREATE INDEX "iap_records_unpublished" ON "iap_records" USING btree ("task_id") WHERE "iap_records"."message_id" is null;