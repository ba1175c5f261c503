// The import rules of docs/architecture.md. A rule that gets in the way asks for a better place for the code, not for an exception.
const roles = ['api', 'verification', 'certificates', 'edge', 'events'];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'domains-are-pure',
      comment: 'The rules of domains import nothing but each other; names also tr46 and tldts.',
      severity: 'error',
      from: { path: '^src/domains/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^src/domains/', '(^|/)node_modules/(tr46|tldts)/', '^(tr46|tldts)$'] },
    },
    {
      name: 'only-names-know-tr46-and-tldts',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/domains/name', '\\.test\\.ts$'] },
      to: { path: '(^|/)node_modules/(tr46|tldts)/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'Permission match and rate decision are functions of values.',
      severity: 'error',
      from: { path: '^src/(access/permissions|ratelimit/decide)\\.ts$' },
      to: { pathNot: '^src/(access|ratelimit|domains|store/store\\.ts)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'certificate-policy-is-pure',
      comment: 'When, how much and whether are functions of values; of others these know types alone.',
      severity: 'error',
      from: { path: '^src/certificates/(backoff|budget|renewal|caa|reasons)\\.ts$' },
      to: { pathNot: '^src/domains/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ports-import-only-types-of-domains',
      severity: 'error',
      from: { path: '^src/(store/(store\\.ts|contract/)|dns/resolver\\.ts)' },
      to: { pathNot: ['^src/domains/', '^src/store/contract/'] },
    },
    ...roles.map((role) => ({
      name: `${role}-knows-ports-and-pure-code`,
      comment: 'Roles meet in rows of the store; they know no concrete engine and never each other.',
      severity: 'error',
      from: { path: `^src/${role}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/',
        pathNot: [
          `^src/${role}/`,
          '^src/(domains|access|ratelimit)/',
          '^src/(store/store|store/changes|dns/resolver|addresses|connections|dialler|clock|metrics|log|ids|pem|recent|version)\\.ts$',
        ],
      },
    })),
    {
      name: 'engines-stay-behind-the-contract',
      comment: 'Only main.ts with roles/, dev/ and the commands name a concrete store or resolver.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(store|dns|dev|cli)/', '^src/(main\\.ts|roles/)', '\\.test\\.ts$'] },
      to: { path: '^src/(store|dns)/', pathNot: '^src/(store/store|store/changes|dns/resolver)\\.ts$' },
    },
    {
      name: 'client-stands-alone',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/', pathNot: '^src/client/' },
    },
    {
      name: 'no-tests-in-the-program',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '(^test/|\\.test\\.ts$)' },
    },
    {
      name: 'no-development-packages-in-the-program',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
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
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
