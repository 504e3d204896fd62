DROP INDEX "open_messages_broadcasts";--> statement-breakpoint
CREATE INDEX "nodes_by_name" ON "nodes" USING btree ("name" collate "C","node_id");--> statement-breakpoint
CREATE INDEX "open_spaces_by_name" ON "open_spaces" USING btree ("name" collate "C");--> statement-breakpoint
CREATE INDEX "open_messages_broadcasts" ON "open_messages" USING btree ("space_id","position") WHERE "open_messages"."is_broadcast";