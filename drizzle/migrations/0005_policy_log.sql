CREATE TABLE "policy_log" (
	"space_id" text NOT NULL,
	"entry" bigint GENERATED ALWAYS AS IDENTITY (sequence name "policy_log_entry_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"area" text NOT NULL,
	"outcome" text NOT NULL,
	"at" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"action_id" text NOT NULL,
	"kind" text NOT NULL,
	"reason" text NOT NULL,
	"policy_version" bigint NOT NULL,
	"code" text,
	"event_id" text,
	"sequence" bigint,
	CONSTRAINT "policy_log_entry_once" PRIMARY KEY("space_id","entry"),
	CONSTRAINT "policy_log_outcome_is_shown" CHECK (("policy_log"."outcome" = 'allowed' and "policy_log"."event_id" is not null and "policy_log"."sequence" is not null) or ("policy_log"."outcome" = 'refused' and "policy_log"."code" is not null))
);
--> statement-breakpoint
CREATE INDEX "policy_log_by_entry" ON "policy_log" USING btree ("entry");