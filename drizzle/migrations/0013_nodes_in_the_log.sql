ALTER TABLE "log" ADD COLUMN "conversation_id" text;--> statement-breakpoint
ALTER TABLE "log" ADD COLUMN "work_item_id" text;--> statement-breakpoint
UPDATE "log" SET "conversation_id" = "graph_nodes"."conversation_id", "work_item_id" = "graph_nodes"."work_item_id" FROM "graph_nodes"
  WHERE "graph_nodes"."space_id" = "log"."space_id" AND "graph_nodes"."sequence" = "log"."sequence"
  AND ("graph_nodes"."conversation_id" IS NOT NULL OR "graph_nodes"."work_item_id" IS NOT NULL);--> statement-breakpoint
DROP TABLE "graph_nodes";--> statement-breakpoint
CREATE INDEX "log_messages_by_conversation" ON "log" USING btree ("space_id","conversation_id","sequence") WHERE "log"."kind" = 'message.posted';
