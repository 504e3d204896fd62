ALTER TABLE "receipts" ADD COLUMN "admission" "bytea";--> statement-breakpoint
ALTER TABLE "admissions" DROP CONSTRAINT "admissions_document_once";
--> statement-breakpoint
ALTER TABLE "admissions" ADD CONSTRAINT "admissions_document_once" PRIMARY KEY("signing_hash","organization_id");--> statement-breakpoint
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_document_once" UNIQUE("signing_hash");