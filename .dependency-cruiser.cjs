// The import rules of docs/internals/architecture.md. If a rule is in the way, move the code; do not add an exception.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// Its table lists the folders from the bottom up: a folder may import those listed above it.
const architecture = readFileSync(join(__dirname, 'docs/internals/architecture.md'), 'utf8');
const rooms = architecture.matchAll(/^\| `(client|words|page|playground|server\/src\/[a-z]+)(?:\/|\.ts)/gm);
const folders = [...new Set([...rooms].map(([, folder]) => folder))];
const fileOf = (names) => `^(${names.join('|')})(/|\\.ts$)`;

const roles = ['answers', 'api', 'webhooks', 'certificates', 'edge'];
const packagesOf = (workspace) => Object.keys(require(`./${workspace}/package.json`).dependencies ?? {});
const packageFiles = (...workspaces) => `(^|/)node_modules/(${workspaces.flatMap(packagesOf).join('|')})/`;
const withoutTests = { pathNot: '\\.test\\.ts$' };
/** What other folders may name of the store and of DNS: the contracts, and what has no engine behind it. */
const contracts =
  '^server/src/(store/(store|url|pool-usage)\\.ts|store/(?!engine/|sealing/sealed)[a-z]+/[a-z]+-store\\.ts|store/cache/|store/sealing/keyring\\.ts|dns/(resolver|query-budget|protocol/(wire|dns-name))\\.ts)';

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
      name: 'the-client-stands-alone',
      comment: 'It ships as @nameplate/client, without packages, and runs in browsers.',
      severity: 'error',
      from: { path: '^client/(?!react/|testing/)', ...withoutTests },
      to: { pathNot: '^client/(?!react/|testing/)' },
    },
    {
      name: 'the-hook-knows-react-alone',
      severity: 'error',
      from: { path: '^client/react/', ...withoutTests },
      to: { pathNot: ['^client/(?!testing/)', '(^|/)node_modules/(@types/)?react/'] },
    },
    {
      name: 'helpers-of-tests-know-node-alone',
      severity: 'error',
      from: { path: '^client/testing/', ...withoutTests },
      to: { pathNot: '^client/(?!react/)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'words-are-pure',
      comment: 'The server and browsers run them. They know the types of the API, from the client.',
      severity: 'error',
      from: { path: '^words/', ...withoutTests },
      to: { pathNot: '^words/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-page-knows-the-client-and-words-alone',
      comment:
        'What runs in browsers calls the API through the client; of packages it takes those that are bundled with it.',
      severity: 'error',
      from: { path: '^page/', ...withoutTests },
      to: { pathNot: ['^page/', '^words/', '^client/', packageFiles('page')] },
    },
    {
      name: 'the-server-ships-without-page-and-playground',
      severity: 'error',
      from: { path: '^server/', ...withoutTests },
      to: { path: '^(page|playground)/' },
    },
    {
      name: 'the-domain-is-pure',
      comment: 'The rules of the domain import nothing but each other and words; names also tr46 and tldts.',
      severity: 'error',
      from: { path: '^server/src/domain/', ...withoutTests },
      to: { pathNot: ['^server/src/domain/', '^words/', '(^|/)node_modules/(tr46|tldts)/', '^(tr46|tldts)$'] },
    },
    {
      name: 'only-names-know-tr46-and-tldts',
      severity: 'error',
      from: { path: '^server/', pathNot: ['^server/src/domain/name', '\\.test\\.ts$'] },
      to: { path: '(^|/)node_modules/(tr46|tldts)/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'Permission match and rate limit decision are functions of values.',
      severity: 'error',
      from: { path: '^server/src/access/(permissions|ratelimit/decision)\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'certificate-policy-is-pure',
      comment: 'When, how much and whether are functions of values; of others these know types alone.',
      severity: 'error',
      from: { path: '^server/src/certificates/policy/', ...withoutTests },
      to: { pathNot: '^server/src/(domain|certificates/policy)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'webhook-policy-is-pure',
      comment: 'When a delivery is retried, and how many are in flight, are functions of values.',
      severity: 'error',
      from: { path: '^server/src/webhooks/policy/', ...withoutTests },
      to: { pathNot: '^server/src/(domain|webhooks/policy)/', dependencyTypesNot: ['type-only'] },
    },
    ...roles.map((role) => ({
      name: `${role}-does-not-know-other-roles`,
      comment:
        'Roles meet in rows of the store, never in an import. All may look at DNS as the verifier does, and read and write certificates.',
      severity: 'error',
      from: { path: `^server/src/${role}/`, ...withoutTests },
      to: {
        path: `^server/src/(${roles.filter((other) => other !== role).join('|')}|verification/[a-z-]+\\.ts)`,
        pathNot: '^server/src/certificates/x509/',
      },
    })),
    {
      name: 'doors-know-the-api-and-pure-rules',
      comment: 'They call operations, whose permissions, limits and audit hold; so they have no store.',
      severity: 'error',
      from: { path: '^server/src/doors/', ...withoutTests },
      to: { path: '^server/src/', pathNot: '^server/src/(doors|api|domain|base)/' },
    },
    {
      name: 'engines-stay-behind-the-contract',
      comment: 'Only main.ts with roles/, the commands and the playground name a concrete store or resolver.',
      severity: 'error',
      from: {
        path: '^server/',
        pathNot: ['^server/src/(store|dns|cli|roles)/', '^server/src/main\\.ts$', '\\.test\\.ts$'],
      },
      to: { path: '^server/src/(store|dns)/', pathNot: contracts },
    },
    {
      name: 'ports-import-only-types-of-the-domain',
      severity: 'error',
      from: {
        path: '^server/src/(store/(store|pool-usage)\\.ts|store/(?!engine/|sealing/sealed)[a-z]+/[a-z]+-store\\.ts|dns/resolver\\.ts)',
      },
      to: {
        pathNot: [
          '^server/src/domain/',
          '^server/src/store/((store|pool-usage|[a-z]+-store)\\.ts|[a-z]+/[a-z]+-store\\.ts)',
        ],
      },
    },
    {
      name: 'no-tests-in-the-program',
      severity: 'error',
      from: { path: '^(client|page|playground|server|words)/', ...withoutTests },
      to: { path: '(^test/|\\.test\\.ts$)' },
    },
    {
      name: 'no-packages-but-those-of-the-workspace',
      comment: 'The dependencies in its package.json, which the bundle has inside.',
      severity: 'error',
      from: { path: '^server/', ...withoutTests },
      to: {
        path: '(^|/)node_modules/',
        pathNot: packageFiles('server'),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-packages-in-the-playground-but-its-own-and-those-of-the-server',
      severity: 'error',
      from: { path: '^playground/', ...withoutTests },
      to: {
        path: '(^|/)node_modules/',
        pathNot: packageFiles('playground', 'server'),
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^client/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.css'],
    },
  },
};
