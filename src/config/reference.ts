import { certificateVariables } from './certificate-variables.ts';
import { edgeVariables } from './edge-variables.ts';
import type { Variable } from './variable.ts';
import { commandVariables, generalVariables, playgroundVariables, serverVariables } from './variables.ts';

/** The text of docs/configuration.md. */
export function renderConfiguration(): string {
  return [
    '# Configuration',
    '',
    '<!-- Generated from src/config/ by "npm run generate". Do not edit. -->',
    '',
    '`nameplate serve` is configured by environment variables. It reports everything that is wrong with them at once, and an',
    'unknown `NAMEPLATE_` variable is an error, so a mistyped one cannot go unnoticed. An empty variable counts as unset.',
    '`nameplate doctor` checks the configuration, and what it points at, without starting anything.',
    '',
    '```sh',
    ...Object.values<Variable<unknown>>(serverVariables)
      .filter(({ required }) => required)
      .map(({ name, example }) => `export ${name}=${example}`),
    'nameplate serve',
    '```',
    '',
    '## The server',
    '',
    ...section(generalVariables),
    '## Certificates',
    '',
    '[certificates.md](certificates.md) says what becomes of a certificate, and when a CA is asked for what.',
    '',
    ...section(certificateVariables),
    '## The edge',
    '',
    ...section(edgeVariables),
    '## The commands',
    '',
    'Commands that speak to a running server also take these from the environment. In a clone with a running playground (`npm start`)',
    'none is needed: they find its address and key in `.nameplate/dev.json`.',
    '',
    ...section(commandVariables),
    '## The playground',
    '',
    'The playground (`npm start`) needs no configuration. It chooses its own addresses, store and DNS, and takes only these from the',
    'environment:',
    '',
    ...Object.values<Variable<unknown>>(playgroundVariables).map(({ name, ...variable }) =>
      variable.default === undefined ? `- \`${name}\`` : `- \`${name}\` (default there: \`${variable.default}\`)`,
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
