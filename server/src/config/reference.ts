import { certificateVariables } from './certificate-variables.ts';
import { dnsVariables } from './dns-variables.ts';
import { edgeVariables } from './edge-variables.ts';
import type { Variable } from './variable.ts';
import { commandVariables, generalVariables, playgroundVariables, serverVariables } from './variables.ts';
import { webhookVariables } from './webhook-variables.ts';

/** The names that a server in production has: the others may wait. */
const SET_BY_EVERYONE = [
  'NAMEPLATE_CNAME_ZONE',
  'NAMEPLATE_DNS_RESOLVERS',
  'NAMEPLATE_DATABASE_URL',
  'NAMEPLATE_ENCRYPTION_KEY',
  'NAMEPLATE_ACME_EMAIL',
  'NAMEPLATE_PUBLIC_URL',
];

/** The text of docs/reference/configuration.md. */
export function renderConfiguration(): string {
  return [
    '# Configuration',
    '',
    '<!-- Generated from server/src/config/ by "npm run generate". Do not edit. -->',
    '',
    'Environment variables configure `nameplate serve`. It reports all errors in them at once. An unknown `NAMEPLATE_` variable is an',
    'error, so typos are found. An empty variable counts as unset. `nameplate doctor` checks the configuration, and the store, resolvers,',
    'ports and CA that it names, without starting anything.',
    '',
    '```sh',
    ...Object.values<Variable<unknown>>(serverVariables)
      .filter(({ required }) => required)
      .map(({ name, example }) => `export ${name}=${example}`),
    'nameplate serve',
    '```',
    '',
    '## The six that most installations set',
    '',
    ...SET_BY_EVERYONE.map((name) => `- [\`${name}\`](#${name.toLowerCase()})`),
    '',
    'All others have a default that suits most.',
    '',
    '## The server',
    '',
    ...section(generalVariables),
    '## Webhooks',
    '',
    '[webhooks.md](../guides/webhooks.md) explains what is sent, when, and how receivers verify it.',
    '',
    ...section(webhookVariables),
    '## Certificates',
    '',
    '[certificates.md](../guides/certificates.md) explains when certificates are ordered and renewed, and how the limits of a CA are kept.',
    '',
    ...section(certificateVariables),
    '## The edge',
    '',
    ...section(edgeVariables),
    '## DNS',
    '',
    '[dns.md](../guides/dns.md) explains what the role `dns` is for, and how to delegate a zone to it.',
    '',
    ...section(dnsVariables),
    '## The commands',
    '',
    'Commands that call the API of a running server also use these. In a clone with a running playground (`npm start`) none is needed:',
    'the commands find its address and key in `.nameplate/dev.json`.',
    '',
    ...section(commandVariables),
    '## The playground',
    '',
    'The playground (`npm start`) needs no configuration. It chooses its own addresses, store and DNS, and uses only these variables:',
    '',
    ...Object.values<Variable<unknown>>(playgroundVariables).map(({ name, ...variable }) =>
      variable.default === undefined
        ? `- \`${name}\``
        : `- \`${name}\` (default in the playground: \`${variable.default}\`)`,
    ),
    '',
  ].join('\n');
}

function section(table: Record<string, Variable<unknown>>): string[] {
  return Object.values(table).flatMap(({ name, about, example, required, ...variable }) => [
    `### \`${name}\``,
    '',
    about,
    '',
    `- Default: ${variable.default === undefined ? (required ? 'none; required' : 'none') : `\`${variable.default}\``}`,
    `- Example: \`${name}=${example}\``,
    '',
  ]);
}
