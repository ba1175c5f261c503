import type { Command } from 'commander';
import { isId } from '../../base/ids.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type ApiOptions, apiCommand, define } from '../options.ts';
import { dateTime, listing, printable, show } from '../output/output.ts';
import { requireYes } from '../output/terminal.ts';
import { type ApiClient, ApiError, apiAction, type CommandCall, connect } from './api-client.ts';

/**
 * The commands for projects, apps, environments and deployments, and the options that other commands use to name them.
 */

export type Level = 'project' | 'app' | 'environment';

export type PathOptions = { [L in Level]?: string };

interface Kind {
  plural: string;
  singular: 'project' | 'app' | 'environment' | 'deployment';
  summary: string;
  parents: Level[];
  /** The field that `create` takes as its argument. */
  field: 'slug' | 'origin';
  create: string;
  list: string;
  /** Deployments have none: they are deleted with their environment. */
  delete?: Deletion;
  /** An example of the argument, and of the options that name the parents. */
  example: [argument: string, flags: string];
}

interface Deletion {
  operation: string;
  /** Names the contents that keep it from being deleted. */
  contents: string;
  /** A sentence. */
  goesWithIt?: string;
  /** Asks first where the server says that deleted domains could still be restored to it; `--yes` answers. */
  asks?: true;
}

const KINDS: Kind[] = [
  {
    plural: 'projects',
    singular: 'project',
    summary: 'Create, list and delete projects of the workspace.',
    parents: [],
    field: 'slug',
    create: 'projects.createProject',
    list: 'projects.listProjects',
    delete: { operation: 'projects.deleteProject', contents: 'apps' },
    example: ['shop', ''],
  },
  {
    plural: 'apps',
    singular: 'app',
    summary: 'Create, list and delete apps of a project.',
    parents: ['project'],
    field: 'slug',
    create: 'apps.createApp',
    list: 'apps.listApps',
    delete: { operation: 'apps.deleteApp', contents: 'environments' },
    example: ['storefront', ' --project shop'],
  },
  {
    plural: 'environments',
    singular: 'environment',
    summary: 'Create, list and delete environments of an app. Domains are attached to environments.',
    parents: ['project', 'app'],
    field: 'slug',
    create: 'environments.createEnvironment',
    list: 'environments.listEnvironments',
    delete: {
      operation: 'environments.deleteEnvironment',
      contents: 'domains',
      goesWithIt:
        ' Its deployments are deleted too. If deleted domains of the environment can still be restored, the command asks first.',
      asks: true,
    },
    example: ['staging', ' --project shop --app storefront'],
  },
  {
    plural: 'deployments',
    singular: 'deployment',
    summary: 'Create and list deployments. The origin of the newest one serves the environment.',
    parents: ['project', 'app', 'environment'],
    field: 'origin',
    create: 'deployments.createDeployment',
    list: 'deployments.listDeployments',
    example: ['http://10.0.0.5:8080', ' --project shop --app storefront --environment staging'],
  },
];

interface Listed {
  id: string;
  slug?: string;
  origin?: string;
  name?: string;
  createdAt: number;
}

export function addTree(program: Command): void {
  for (const kind of KINDS) addKind(program, kind);
}

function addKind(program: Command, kind: Kind): void {
  const { plural, singular, parents, field } = kind;
  const [argument, flags] = kind.example;
  const create = `nameplate ${plural} create ${argument}${flags}`;
  const list = `nameplate ${plural} list${flags}`;
  const group = define(program, plural, kind.summary, [create, list]);

  const command = apiCommand(group, `create <${field}>`, `Create ${/^[ae]/.test(singular) ? 'an' : 'a'} ${singular}.`, [
    create,
  ]);
  if (field === 'slug') command.option('--name <name>', 'display name');
  pathOptions(command, parents).action(
    apiAction(
      async ({ api, options }: CommandCall<PathOptions & { name?: string }>, value) => {
        const named = { [field]: value, ...(options.name && { name: options.name }) };
        const body = { ...pathFrom(api, options, parents), ...named };
        const created = await api.call<Record<string, string>>(kind.create, body);
        return { id: created[`${singular}Id`] ?? '', ...body };
      },
      (made: { id: string; slug?: string; origin?: string }) =>
        `Created ${singular} ${printable(made[field] ?? '')} (${made.id}).`,
    ),
  );

  const columns = [
    { title: 'Id', text: ({ id }: Listed) => id },
    { title: field === 'slug' ? 'Slug' : 'Origin', text: (row: Listed) => row[field] ?? '' },
    ...(field === 'slug' ? [{ title: 'Name', text: ({ name }: Listed) => name ?? '' }] : []),
    { title: 'Created', text: ({ createdAt }: Listed) => dateTime(createdAt) },
  ];
  pathOptions(apiCommand(group, 'list', `List ${plural}, oldest first.`, [list]), parents).action(
    apiAction(
      ({ api, options }: CommandCall<PathOptions>) => api.list<Listed>(kind.list, pathFrom(api, options, parents)),
      listing(columns, `No ${plural} yet.`),
    ),
  );
  if (kind.delete !== undefined) addDelete(group, kind, kind.delete);
}

/** The server refuses to delete what is not empty, so no typing mistake removes a site. */
function addDelete(group: Command, kind: Kind, { operation, contents, goesWithIt = '', asks }: Deletion): void {
  const { plural, singular, parents, example } = kind;
  const summary = `Delete ${/^[ae]/.test(singular) ? 'an' : 'a'} ${singular} that has no ${contents}.${goesWithIt}`;
  const typed = `nameplate ${plural} delete ${example.join('')}`;
  const command = pathOptions(apiCommand(group, `delete <${singular}>`, summary, [typed]), parents);
  if (asks) command.option('--yes', 'do not ask');
  command.action(async (named: string, options: ApiOptions & PathOptions & { yes?: true }) => {
    const api = await connect(options);
    const body = { ...pathFrom(api, options, parents, named), [singular]: named };
    const isAsked = asks && !options.yes;
    await api.call(operation, { ...body, ...(isAsked && { refuseRestorable: true }) }).catch(async (error) => {
      if (!(error instanceof ApiError) || error.code !== 'application/domains_restorable') throw error;
      await requireYes(options, error.detail);
      await api.call(operation, body);
    });
    show(options, { ...body, deleted: true }, () => `Deleted ${singular} ${printable(named)}.`);
  });
}

export function pathOptions(command: Command, levels: Level[]): Command {
  for (const level of levels)
    command.option(
      `--${level} <id or slug>`,
      `${level} (default: that of the playground)${level === 'environment' ? '' : '; not needed if you give a lower level by id'}`,
    );
  return command;
}

/**
 * The levels that the options name, or else the playground's own. Those above an id may be absent: `named`, which is
 * below all levels, or that of a level. Throws `CliError` outside the playground.
 */
export function pathFrom({ playground }: ApiClient, options: PathOptions, levels: Level[], named = ''): PathOptions {
  const lowestId = isId(named) ? levels.length : levels.findLastIndex((level) => isId(options[level] ?? ''));
  const needed = levels.slice(Math.max(lowestId, 0));
  const missing = needed.filter((level) => options[level] === undefined && playground === null);
  if (missing.length > 0) {
    const flags = missing.map((level) => `--${level}`).join(', ');
    throw new CliError(`Missing ${flags}: give an id or a slug. Only in the playground is there a default.`, {
      exitCode: EXIT.usage,
    });
  }
  const own = (level: Level) => (needed.includes(level) ? playground?.[level].slug : undefined);
  return Object.fromEntries(levels.map((level) => [level, options[level] ?? own(level)]));
}
