import next from 'eslint-config-next/core-web-vitals'
import tseslint from 'typescript-eslint'

/** What a pure zone must not touch: the import graph cannot see globals. */
const impure = ['process', 'fetch', 'crypto', 'console', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'localStorage', 'window', 'document', 'Buffer'].map(
  (name) => ({ name, message: 'This zone is pure: no clock, randomness or I/O.' }),
)
const clock = [
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'This zone is pure: time enters as an argument.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'This zone is pure: time enters as an argument.' },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'This zone is pure: no randomness.' },
]
const noTests = ['**/*.test.ts', '**/*.test.tsx']

export default tseslint.config(
  { ignores: ['node_modules/', '.next/', 'dist/', 'data/', 'protocol/generated/', 'next-env.d.ts', 'test-results/', 'playwright-report/'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      eqeqeq: 'error',
      'no-console': 'error',
      'max-params': ['error', 4],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Only server/config.ts reads the environment.' }],
    },
  },
  { files: ['server/config.ts', 'scripts/**', 'e2e/**', 'bench/**', 'examples/**', '*.config.*', '**/*.test.ts', '**/*.int.test.ts', 'server/testing/**', 'drizzle/config.ts'], rules: { 'no-restricted-properties': 'off', 'no-console': 'off' } },
  { files: ['**/*.test.ts', '**/*.test.tsx', 'server/testing/**', 'e2e/**', 'bench/**'], rules: { 'max-lines': 'off', 'max-params': 'off' } },
  { files: ['protocol/**'], ignores: noTests, rules: { 'no-restricted-globals': ['error', ...impure], 'no-restricted-syntax': ['error', ...clock] } },
  {
    files: ['server/authority/**'],
    ignores: noTests,
    rules: {
      'no-restricted-globals': ['error', ...impure],
      'no-restricted-syntax': ['error', ...clock, { selector: ':function[async=true]', message: 'Decisions are synchronous.' }],
    },
  },
  ...next.map((config) => ({ ...config, files: ['app/**/*.{ts,tsx}', 'components/**/*.{ts,tsx}'] })),
  { files: ['app/**', 'components/**'], rules: { 'react/no-danger': 'error' } },
)
