// Which part may import which. docs/architecture.md draws the same picture; widening a rule needs a decision note.
const zone = {
  protocol: '^protocol/',
  authority: '^server/authority/',
  service: '^server/service/',
  store: '^server/store/',
  artifacts: '^server/artifacts/',
  gateway: '^server/gateways/',
  sdk: '^sdk/',
  testing: '^(server|protocol)/testing/',
  root: '^server/(main|start|config|http|pages|resources|server-file)(\\.int)?(\\.test)?\\.ts$',
  ui: '^components/',
  app: '^app/',
  scripts: '^scripts/',
  e2e: '^(e2e|examples|bench)/',
}
/** Leaves of the server that its parts may use. */
const log = '^server/(log|http-messages|native-sha2|recent-map|token-bucket)(\\.test)?\\.ts$'
const ports = '^server/service/ports\\.ts$'
const tables = '^drizzle/schema\\.ts$'
const schemas = '^schemas/'
const router = '^server/gateways/console/router\\.ts$'
const local = '^(app|components|protocol|server|sdk|drizzle|e2e|examples|bench|schemas|scripts)/'
const test = '\\.test\\.tsx?$'

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

/** A zone may import itself and what is listed; its unit tests also the shared fixtures. */
const only = (name, from, ...allowed) => [
  forbid(`${name}-imports`, { path: from, pathNot: test }, { path: local, pathNot: [from, ...allowed] }),
  forbid(`${name}-test-imports`, { path: `${from}.*${test}`, pathNot: '\\.int\\.test\\.tsx?$' }, { path: local, pathNot: [from, zone.testing, ...allowed] }),
]

const typesOnly = (name, from, to) => forbid(`${name}-types-only`, { path: from, pathNot: test }, { path: to, dependencyTypesNot: ['type-only'] })

const pure = (name, from, packages) => [
  forbid(`${name}-is-pure`, { path: from, pathNot: test }, { dependencyTypes: ['core'] }),
  forbid(`${name}-packages`, { path: from, pathNot: test }, { path: 'node_modules/', pathNot: packages }),
]

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    forbid('root-is-a-leaf', { pathNot: [zone.root, zone.scripts, test] }, { path: zone.root }),
    forbid('every-file-has-a-zone', { path: '^server/', pathNot: [...Object.values(zone), log] }, { path: local }),
    forbid('drizzle-imports', { path: '^drizzle/' }, { path: local, pathNot: '^drizzle/' }),
    forbid('fixtures-stay-in-tests', { pathNot: [test, zone.testing, zone.e2e] }, { path: zone.testing }),
    forbid('gateways-are-strangers', { path: '^server/gateways/([^/]+)/' }, { path: '^server/gateways/([^/]+)/', pathNot: '^server/gateways/$1/' }),

    ...only('protocol', zone.protocol, schemas),
    ...only('authority', zone.authority, zone.protocol),
    ...only('service', zone.service, zone.protocol, zone.authority, log),
    ...only('store', zone.store, zone.protocol, zone.authority, ports, tables, log),
    ...only('gateway', zone.gateway, zone.protocol, zone.authority, zone.service, log),
    ...only('artifacts', zone.artifacts, zone.protocol, ports, log),
    ...only('sdk', zone.sdk, zone.protocol),
    ...only('ui', zone.ui, zone.protocol, router),
    ...only('app', zone.app, zone.ui, zone.protocol),
    ...only('examples', '^examples/', zone.sdk, zone.protocol, zone.testing),
    ...only('e2e', '^e2e/', zone.sdk, zone.protocol),
    ...only('bench', '^bench/', zone.sdk, zone.protocol, zone.store),

    typesOnly('store-ports', zone.store, ports),
    typesOnly('artifacts-ports', zone.artifacts, ports),
    typesOnly('ui-router', zone.ui, router),

    ...pure('protocol', zone.protocol, 'node_modules/(@noble|canonicalize|ajv/dist/runtime)/'),
    ...pure('authority', zone.authority, '^$'),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|dist|data)/' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] },
  },
}
