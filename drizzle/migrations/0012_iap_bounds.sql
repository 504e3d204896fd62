ALTER TABLE "iap_tasks" ADD COLUMN "bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "iap_tasks" ADD COLUMN "ended_at" text;--> statement-breakpoint
CREATE INDEX "iap_received_by_age" ON "iap_received" USING btree ("agent_id","received_at");--> statement-breakpoint
CREATE INDEX "iap_tasks_ended" ON "iap_tasks" USING btree ("proposer_id","ended_at") WHERE "iap_tasks"."ended_at" is not null;--> statement-breakpoint
UPDATE "iap_tasks" SET
  "bytes" = (SELECT coalesce(sum(octet_length("record")), 0) FROM "iap_records" WHERE "iap_records"."task_id" = "iap_tasks"."task_id"),
  "ended_at" = CASE WHEN "is_over" THEN to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END;
