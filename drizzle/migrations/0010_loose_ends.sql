DROP INDEX "open_message_nodes_in_space";--> statement-breakpoint
CREATE INDEX "policy_log_refusals" ON "policy_log" USING btree ("at") WHERE "policy_log"."outcome" = 'refused';--> statement-breakpoint
CREATE INDEX "open_messages_of_sender" ON "open_messages" USING btree ("space_id","sender_id","position");--> statement-breakpoint
CREATE INDEX "open_message_nodes_in_space" ON "open_message_nodes" USING btree ("space_id","node_id","position");