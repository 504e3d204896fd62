CREATE TABLE "reactions" (
	"target_space_id" text NOT NULL,
	"event_id" text NOT NULL,
	"reaction" text NOT NULL,
	CONSTRAINT "reactions_once" PRIMARY KEY("target_space_id","event_id")
);
