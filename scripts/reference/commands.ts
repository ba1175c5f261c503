import type { Command } from 'commander';
import { PLAYGROUND_COMMANDS } from '../../playground/commands.ts';
import { createProgram } from '../../server/src/cli/program.ts';
import { escaped } from './errors.ts';

/** The text of docs/reference/commands.md. */
export function renderCommands(): string {
  const { program } = createProgram(PLAYGROUND_COMMANDS);
  return [
    '# Commands',
    '',
    '<!-- Generated from the commands by "npm run generate". Do not edit. -->',
    '',
    '`nameplate COMMAND --help` prints the same in a terminal. [Operations](../guides/operations.md) explains when to use which. Every command',
    'exits with 0 when done, 1 on failure, and 2 for a wrong command line. It exits with 3 if something has to be fixed, such as a DNS record.',
    '',
    ...program.commands.flatMap((command) => render(command, 'nameplate', 2)),
  ].join('\n');
}

function render(command: Command, parent: string, level: number): string[] {
  const name = `${parent} ${command.name()}`;
  const help = command.createHelp();
  const parts = help.visibleArguments(command).map((part) => [help.argumentTerm(part), help.argumentDescription(part)]);
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [help.optionTerm(option), help.optionDescription(option)]);
  const rows = [...parts, ...options].map(
    ([term, about = '']) => `| \`${term?.replaceAll('|', '\\|')}\` | ${escaped(about).replaceAll('|', '\\|')} |`,
  );
  const within = command.commands.flatMap((each) => render(each, name, level + 1));
  return [
    `${'#'.repeat(level)} ${name}`,
    '',
    escaped(command.description()),
    '',
    ...(within.length > 0 ? [] : ['```sh', `${name} ${command.usage()}`.trim(), '```', '']),
    ...(rows.length === 0 ? [] : ['| Argument or option | Means |', '|---|---|', ...rows, '']),
    ...within,
  ];
}
