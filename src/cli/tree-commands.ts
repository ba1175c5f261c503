import type { Command } from 'commander';
import { type ApiClient, connect } from './api-client.ts';
import { CliError, EXIT } from './cli-error.ts';
import { type ApiOptions, apiOptions, define, group } from './options.ts';
import { type Column, show, table, when } from './output.ts';

/** Projects, apps and environments: three groups of commands of one shape, and the options that name them elsewhere. */

export type Parent = 'project' | 'app' | 'environment';

export type ParentOptions = { [P in Parent]?: string };

interface Level {
  /** Name of the group, `apps`, and of one of its members, `app`. */
  plural: string;
  singular: 'project' | 'app' | 'environment';
  summary: string;
  parents: Parent[];
  create: string;
  list: string;
  /** An example of a slug, and the options that its parents need. */
  example: string;
}

interface Listed {
  id: string;
  slug: string;
  name?: string;
  createdAt: number;
}

const COLUMNS: Column<Listed>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'Slug', text: ({ slug }) => slug },
  { title: 'Name', text: ({ name }) => name ?? '' },
  { title: 'Created', text: ({ createdAt }) => when(createdAt) },
];

/** `create` and `list` of one level of the tree. */
export function addLevel(program: Command, level: Level): void {
  const { plural, singular, parents } = level;
  const create = `nameplate ${plural} create ${level.example}`;
  const list = `nameplate ${plural} list${level.example.replace(/^\S+/, '')}`;
  const commands = group(program, plural, level.summary, [create, list]);

  apiOptions(parentOptions(define(commands, 'create <slug>', `Make one ${singular}.`, [create]), parents))
    .option('--name <name>', 'name for people')
    .action(async (slug: string, options: ApiOptions & ParentOptions & { name?: string }) => {
      const server = await connect(options);
      const body = { ...parentsOf(server, options, parents), slug, ...(options.name && { name: options.name }) };
      const made = await server.call<Record<string, string>>(level.create, body);
      const id = made[`${singular}Id`];
      show(options, { id, ...body }, () => `Created ${singular} ${slug} (${id}).`);
    });

  apiOptions(parentOptions(define(commands, 'list', `List ${plural}, oldest first.`, [list]), parents)).action(
    async (options: ApiOptions & ParentOptions) => {
      const server = await connect(options);
      const found = await server.list<Listed>(level.list, parentsOf(server, options, parents));
      show(options, found, (rows) => (rows.length === 0 ? `No ${plural} yet.` : table(COLUMNS, rows)));
    },
  );
}

export function parentOptions(command: Command, parents: Parent[]): Command {
  for (const parent of parents) {
    command.option(`--${parent} <id or slug>`, `the ${parent} (in the playground: the one it made)`);
  }
  return command;
}

/** What the options say of the parents; the playground's own where they say nothing. Throws `CliError`. */
export function parentsOf(server: ApiClient, options: ParentOptions, parents: Parent[]): ParentOptions {
  const missing = parents.filter((parent) => options[parent] === undefined && server.playground === null);
  if (missing.length > 0) {
    const named = missing.map((parent) => `--${parent}`).join(', ');
    throw new CliError(`Outside the playground this needs ${named}: an id or a slug.`, { exitCode: EXIT.usage });
  }
  return Object.fromEntries(parents.map((parent) => [parent, options[parent] ?? server.playground?.[parent].slug]));
}
