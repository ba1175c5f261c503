// The import rules of docs/architecture.md. If a rule is in the way, move the code; do not add an exception.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// Its table lists the folders from the bottom up: a folder may import those listed above it.
const architecture = readFileSync(join(__dirname, 'docs/architecture.md'), 'utf8');
const folders = [...architecture.matchAll(/^\| `src\/([a-z]+)(?:\/|\.ts)`/gm)].map(([, folder]) => folder);
const fileOf = (names) => `^src/(${names.join('|')})(/|\\.ts$)`;

const roles = ['api', 'verification', 'webhooks', 'certificates', 'edge'];
// Those that the bundle has inside. package.json does not tell them from tools: an archive of the bundle needs none (docs/decisions/0037-client.md).
const packages = [
  'ajv',
  'commander',
  'csv-parse',
  'csv-stringify',
  'dns-packet',
  'fastify',
  'jose',
  'kysely',
  'lru-cache',
  'pg',
  'pino',
  'prom-client',
  'secure-json-parse',
  'standardwebhooks',
  'tldts',
  'tr46',
  'typebox',
];
const withoutTests = { pathNot: '\\.test\\.ts$' };

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...folders.slice(0, -1).map((folder, at) => ({
      name: `${folder}-imports-nothing-from-above`,
      severity: 'error',
      from: { path: fileOf([folder]), ...withoutTests },
      to: { path: fileOf(folders.slice(at + 1)) },
    })),
    {
      name: 'the-domain-is-pure',
      comment: 'The rules of the domain import nothing but each other; names also tr46 and tldts.',
      severity: 'error',
      from: { path: '^src/domain/', ...withoutTests },
      to: { pathNot: ['^src/domain/', '(^|/)node_modules/(tr46|tldts)/', '^(tr46|tldts)$'] },
    },
    {
      name: 'only-names-know-tr46-and-tldts',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/domain/name', '\\.test\\.ts$'] },
      to: { path: '(^|/)node_modules/(tr46|tldts)/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'Permission match and rate limit decision are functions of values.',
      severity: 'error',
      from: { path: '^src/(access/permissions|ratelimit/decision)\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'certificate-policy-is-pure',
      comment: 'When, how much and whether are functions of values; of others these know types alone.',
      severity: 'error',
      from: { path: '^src/certificates/policy/', ...withoutTests },
      to: { pathNot: '^src/(domain|certificates/policy)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'webhook-policy-is-pure',
      comment: 'When a delivery is retried, and how many are in flight, are functions of values.',
      severity: 'error',
      from: { path: '^src/webhooks/policy/', ...withoutTests },
      to: { pathNot: '^src/(domain|webhooks/policy)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ports-import-only-types-of-the-domain',
      severity: 'error',
      from: { path: '^src/(store/contract/|dns/resolver\\.ts)' },
      to: { pathNot: ['^src/domain/', '^src/store/contract/'] },
    },
    ...roles.map((role) => ({
      name: `${role}-does-not-know-other-roles`,
      comment: 'Roles meet in rows of the store, never in an import.',
      severity: 'error',
      from: { path: `^src/${role}/`, ...withoutTests },
      to: { path: `^src/(${roles.filter((other) => other !== role).join('|')})/` },
    })),
    {
      name: 'engines-stay-behind-the-contract',
      comment: 'Only main.ts with roles/, playground/ and the commands name a concrete store or resolver.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/(store|dns|playground|cli|roles)/', '^src/(main|metrics)\\.ts$', '\\.test\\.ts$'],
      },
      to: {
        path: '^src/(store|dns)/',
        pathNot: '^src/(store/contract/|store/(url|sealing/keyring)\\.ts|dns/(resolver|query-budget)\\.ts)',
      },
    },
    {
      name: 'the-page-knows-the-client-alone',
      comment:
        'What runs in browsers calls the API through the client; of packages it takes those that are bundled with it.',
      severity: 'error',
      from: { path: '^web/', ...withoutTests },
      to: { pathNot: ['^web/', '^src/client/', '(^|/)node_modules/(preact|punycode)/'] },
    },
    {
      name: 'the-program-does-not-know-the-page',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^web/' },
    },
    {
      name: 'no-tests-in-the-program',
      severity: 'error',
      from: { path: '^src/', ...withoutTests },
      to: { path: '(^test/|\\.test\\.ts$)' },
    },
    {
      name: 'no-other-packages-in-the-program',
      severity: 'error',
      from: { path: '^src/', ...withoutTests },
      to: {
        path: '(^|/)node_modules/',
        pathNot: `(^|/)node_modules/(${packages.join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.css'],
    },
  },
};
