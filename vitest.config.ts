import { defineConfig } from 'vitest/config'

const everywhere = ['protocol', 'server', 'sdk', 'components', 'drizzle', 'examples', 'bench', 'scripts']
const tests = (suffix: string) => everywhere.map((folder) => `${folder}/**/*${suffix}`)

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        // Unit tests share no state, so they share two threads: a fresh one for each file would cost more than the tests.
        test: { name: 'unit', isolate: false, pool: 'threads', maxWorkers: 2, include: [...tests('.test.ts'), ...tests('.test.tsx')], exclude: ['**/*.int.test.*', '**/*.long.test.*', '**/node_modules/**'] },
      },
      {
        extends: true,
        // Properties, vectors and whole tables, which take seconds each: `npm test` runs them, `npm run check` does not.
        test: { name: 'long', isolate: false, pool: 'threads', include: tests('.long.test.ts') },
      },
      {
        extends: true,
        test: { name: 'int', include: tests('.int.test.ts'), testTimeout: 60_000, hookTimeout: 120_000, fileParallelism: false },
      },
    ],
  },
})
