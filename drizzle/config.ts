// `npx drizzle-kit generate --config drizzle/config.ts` writes the next migration. Migrations are append-only.
import { defineConfig } from 'drizzle-kit'

export default defineConfig({ dialect: 'postgresql', schema: './drizzle/schema.ts', out: './drizzle/migrations' })
