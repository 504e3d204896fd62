// npm run docs: writes the pages that are made from the source, without running a test.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { commandsPage } from './reference/commands-page.ts'

writeFileSync(join(root, 'docs', 'commands.md'), commandsPage())
