DROP TABLE "messages" CASCADE;--> statement-breakpoint
CREATE INDEX "graph_nodes_by_conversation" ON "graph_nodes" USING btree ("space_id","conversation_id","sequence") WHERE "graph_nodes"."kind" = 'message.posted';--> statement-breakpoint
ALTER TABLE "missions" DROP COLUMN "head";--> statement-breakpoint
ALTER TABLE "missions" DROP COLUMN "updated_at";