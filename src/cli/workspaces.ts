import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../clock.ts';
import { duration } from '../domain/text.ts';
import { idMaker } from '../ids.ts';
import { parseRateLimits } from '../ratelimit/rate-limits.ts';
import { unknownSubjects } from '../ratelimit/unknown-subjects.ts';
import type { RateLimit, Workspace, WorkspaceLimits } from '../store/contract/store.ts';
import { loadCatalogue } from './catalogue.ts';
import { CliError, EXIT } from './cli-error.ts';
import { withStore } from './open-database.ts';
import { define, group, parseCount, parseName, type StoreOptions, storeFlag, storeOptions } from './options.ts';
import { type Column, harmless, show, table, when } from './output.ts';

const COLUMNS: Column<Workspace>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'Name', text: ({ name }) => name },
  { title: 'State', text: ({ disabledAt }) => (disabledAt === null ? 'enabled' : `disabled ${when(disabledAt)}`) },
  { title: 'Created', text: ({ createdAt }) => when(createdAt) },
];

export function addWorkspaces(program: Command): void {
  const workspaces = group(program, 'workspaces', 'Workspaces: who has domains and keys. Straight on the store.', [
    'nameplate workspaces create acme',
    'nameplate workspaces list',
  ]);
  addCreate(workspaces);
  addList(workspaces);
  addSwitch(workspaces, 'disable', 'Refuse every request made with a key of the workspace.');
  addSwitch(workspaces, 'enable', 'Let the keys of a disabled workspace work again.');
  addLimits(workspaces);
}

function addCreate(workspaces: Command): void {
  const create = define(workspaces, 'create', 'Make a workspace.', ['nameplate workspaces create acme']).argument(
    '<name>',
    'name for people',
    parseName,
  );
  storeOptions(create).action(async (name: string, options: StoreOptions) => {
    const clock = systemClock;
    const limits = { rates: {}, domains: null };
    const made = { id: idMaker(clock)('ws'), name, disabledAt: null, limits, createdAt: clock.now() };
    await withStore(options, (store) => store.createWorkspace(made), { make: true });
    show(
      options,
      made,
      ({ id }) =>
        `Created workspace ${harmless(name)} (${id}).\n\nNext: nameplate keys create --workspace ${id} --permission 'environment.*.read_domain'${storeFlag(options)}`,
    );
  });
}

function addList(workspaces: Command): void {
  storeOptions(
    define(workspaces, 'list', 'List workspaces, oldest first.', ['nameplate workspaces list --json']),
  ).action(async (options: StoreOptions) => {
    const found = await withStore(options, (store) => store.listWorkspaces());
    show(options, found, (rows) => (rows.length === 0 ? 'No workspaces yet.' : table(COLUMNS, rows)));
  });
}

function addSwitch(workspaces: Command, verb: 'disable' | 'enable', summary: string): void {
  storeOptions(
    define(workspaces, `${verb} <id>`, summary, [`nameplate workspaces ${verb} ws_01kaghm5q6e8x9b2c3d4f5g6h7`]),
  ).action(async (id: string, options: StoreOptions) => {
    const disabledAt = verb === 'disable' ? systemClock.now() : null;
    if (!(await withStore(options, (store) => store.setWorkspaceDisabled(id, disabledAt)))) throw noWorkspace(id);
    show(options, { id, disabledAt }, () => `${verb === 'disable' ? 'Disabled' : 'Enabled'} workspace ${id}.`);
  });
}

/** A null takes a limit away. */
type RateChanges = Record<string, RateLimit | null>;
type LimitOptions = StoreOptions & { rate?: RateChanges; domains?: number | 'none' };

function addLimits(workspaces: Command): void {
  const id = 'ws_01kaghm5q6e8x9b2c3d4f5g6h7';
  const limits = define(workspaces, 'limits <id>', 'Show the limits of a workspace, or set those that are given.', [
    `nameplate workspaces limits ${id}`,
    `nameplate workspaces limits ${id} --rate domains.createDomain=60/1m --domains 100`,
    `nameplate workspaces limits ${id} --rate 'domains.createDomain=none' --domains none`,
  ]);
  storeOptions(limits)
    .option(
      '--rate <operation=N/1m>',
      'requests per window; "*" is every other operation, =none takes the limit away',
      parseRate,
    )
    .option('--domains <N>', 'most domains the workspace may hold; none takes the limit away', parseDomains)
    .action(async (id: string, options: LimitOptions) => {
      const { operations } = await loadCatalogue();
      const unknown = unknownSubjects(Object.keys(options.rate ?? {}), operations);
      if (unknown !== null) throw new CliError(`${unknown}.`, { exitCode: EXIT.usage });
      const limits = await withStore(options, async (store) => {
        const found = (await store.listWorkspaces()).find((workspace) => workspace.id === id);
        if (found === undefined) throw noWorkspace(id);
        if (options.rate === undefined && options.domains === undefined) return found.limits;
        const changed = changeLimits(found.limits, options);
        if (!(await store.setWorkspaceLimits(id, changed))) throw noWorkspace(id);
        return changed;
      });
      show(options, { id, limits }, () => limitsInWords(limits));
    });
}

function changeLimits({ rates, domains }: WorkspaceLimits, options: LimitOptions): WorkspaceLimits {
  const changed: RateChanges = { ...rates, ...options.rate };
  const kept = Object.entries(changed).filter((entry): entry is [string, RateLimit] => entry[1] !== null);
  const most = options.domains === undefined ? domains : options.domains;
  return { rates: Object.fromEntries(kept), domains: most === 'none' ? null : most };
}

function parseRate(text: string, before: RateChanges = {}): RateChanges {
  const lifted = /^([^=,]+)=none$/.exec(text)?.[1];
  if (lifted !== undefined) return { ...before, [lifted]: null };
  const parsed = parseRateLimits(text);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.message);
  return { ...before, ...parsed.limits };
}

function parseDomains(text: string): number | 'none' {
  return text === 'none' ? text : parseCount(text);
}

function limitsInWords({ rates, domains }: WorkspaceLimits): string {
  const rows = Object.entries(rates).map(([operation, rate]) => [
    operation,
    `${rate.limit} in ${duration(rate.windowMs)}`,
  ]);
  rows.push(['domains', domains === null ? 'no limit of its own' : `${domains} at most`]);
  if (Object.keys(rates).length === 0)
    rows.unshift(['requests', 'no limits of its own; NAMEPLATE_RATE_LIMITS applies']);
  const columns = [
    { title: 'What', text: ([what = '']: string[]) => what },
    { title: 'Limit', text: ([, limit = '']: string[]) => limit },
  ];
  return table(columns, rows);
}

function noWorkspace(id: string): CliError {
  return new CliError(`There is no workspace ${id}. "nameplate workspaces list" shows all.`);
}
