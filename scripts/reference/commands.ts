import type { Command } from 'commander';
import { PLAYGROUND_COMMANDS } from '../../playground/commands.ts';
import { createProgram } from '../../server/src/cli/program.ts';
import { escaped } from './errors.ts';

/** An option that at least so many commands have is described once, at the top of the page. */
const SHARED_BY = 10;

/** The text of docs/reference/commands.md. */
export function renderCommands(): string {
  const { program } = createProgram(PLAYGROUND_COMMANDS);
  const shared = sharedOptions(program);
  return [
    '# Commands',
    '',
    '<!-- Generated from the commands by "npm run generate". Do not edit. -->',
    '',
    'Every command of `nameplate`, with its arguments and options. `nameplate COMMAND --help` prints the same text and adds examples.',
    '[Operations](../guides/operations.md) explains when to use which command.',
    '',
    '| Exit code | Meaning |',
    '|---|---|',
    '| 0 | Done |',
    '| 1 | Failed |',
    '| 2 | The command line is wrong |',
    '| 3 | Done, but you have something to fix, such as a DNS record |',
    '',
    '## Shared options',
    '',
    'The section of each command lists by name which of these options it accepts.',
    '',
    ...table('Option', [...shared.values()]),
    ...program.commands.flatMap((command) => render(command, 'nameplate', 2, shared)),
  ].join('\n');
}

/** A term and its description. */
type Row = [term: string, about: string];

/** The row of each option that many commands have, by its row as a text. */
function sharedOptions(program: Command): Map<string, Row> {
  const counts = new Map<string, number>();
  const rows = allCommands(program).flatMap(optionRows);
  for (const row of rows) counts.set(row.join(), (counts.get(row.join()) ?? 0) + 1);
  return new Map(rows.filter((row) => (counts.get(row.join()) ?? 0) >= SHARED_BY).map((row) => [row.join(), row]));
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((each) => [each, ...allCommands(each)]);
}

function optionRows(command: Command): Row[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [help.optionTerm(option), help.optionDescription(option)]);
}

function render(command: Command, parent: string, level: number, shared: ReadonlyMap<string, Row>): string[] {
  const name = `${parent} ${command.name()}`;
  const help = command.createHelp();
  const parts = help
    .visibleArguments(command)
    .map((part): Row => [help.argumentTerm(part), help.argumentDescription(part)])
    .filter(([, about]) => about !== '');
  const options = optionRows(command);
  const own = options.filter((row) => !shared.has(row.join()));
  const others = options.filter((row) => shared.has(row.join())).map(([term]) => `\`${term.replace(/ .*/, '')}\``);
  const within = command.commands.flatMap((each) => render(each, name, level + 1, shared));
  return [
    `${'#'.repeat(level)} ${name}`,
    '',
    escaped(command.description()),
    '',
    ...(within.length > 0 ? [] : ['```sh', `${name} ${command.usage()}`.trim(), '```', '']),
    ...table('Argument or option', [...parts, ...own]),
    ...(others.length === 0 ? [] : [`[Shared options](#shared-options): ${others.join(', ')}.`, '']),
    ...within,
  ];
}

function table(title: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(
    ([term, about]) => `| \`${term.replaceAll('|', '\\|')}\` | ${escaped(about).replaceAll('|', '\\|')} |`,
  );
  return [`| ${title} | Meaning |`, '|---|---|', ...cells, ''];
}
