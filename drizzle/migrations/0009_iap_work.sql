ALTER TABLE "iap_tasks" ADD COLUMN "work" text;--> statement-breakpoint
ALTER TABLE "iap_tasks" ADD COLUMN "is_work_over" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "iap_tasks_at_work" ON "iap_tasks" USING btree ("task_id") WHERE "iap_tasks"."work" is not null and not "iap_tasks"."is_work_over";