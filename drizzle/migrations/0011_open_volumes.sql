CREATE TABLE "open_volumes" (
	"node_id" text NOT NULL,
	"messages" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "open_volumes_one_per_node" PRIMARY KEY("node_id")
);
--> statement-breakpoint
INSERT INTO "open_volumes" SELECT m."sender_id", count(*), sum(octet_length(l."bytes")) FROM "open_messages" AS m JOIN "log" AS l USING ("space_id", "sequence") GROUP BY m."sender_id";
