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
    'Environment variables configure `nameplate serve`. At startup it reports all errors in them at once. An unknown variable whose name',
    'begins with `NAMEPLATE_` is an error too, to catch typing mistakes. An empty variable counts as unset. `nameplate doctor` checks the',
    'configuration, and the store, resolvers, ports and CA that it names, without starting a server.',
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
    'The defaults of the others suit most installations.',
    '',
    '## The server',
    '',
    ...section(generalVariables),
    '## Webhooks',
    '',
    '[Webhooks](../guides/webhooks.md) explains which events are sent when, and how receivers verify them.',
    '',
    ...section(webhookVariables),
    '## Certificates',
    '',
    '[Certificates](../guides/certificates.md) explains when certificates are ordered and renewed, and how Nameplate stays within the limits of a CA.',
    '',
    ...section(certificateVariables),
    '## The edge',
    '',
    ...section(edgeVariables),
    '## DNS',
    '',
    '[DNS](../guides/dns.md) explains the purpose of the role `dns`, and how to delegate a zone to it.',
    '',
    ...section(dnsVariables),
    '## The commands',
    '',
    'Commands that call the API of a running server use these variables. They need none of them while a playground runs (`npm start` in a',
    'clone): they find its address and key in `.nameplate/dev.json`.',
    '',
    ...section(commandVariables),
    '## The playground',
    '',
    'The playground (`npm start` in a clone) needs no configuration. It chooses its own addresses, store and DNS, and reads only these variables:',
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
    `- Default: ${defaultOf({ about, required, ...variable })}`,
    `- Example: \`${name}=${example}\``,
    '',
  ]);
}

function defaultOf({
  about,
  required,
  ...variable
}: {
  about: string;
  required: true | undefined;
  default?: string;
}): string {
  if (variable.default !== undefined) return `\`${variable.default}\``;
  if (required) return 'none; required';
  return about.includes('By default') ? 'see above' : 'none';
}
