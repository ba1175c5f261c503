import { type Command, InvalidArgumentError } from 'commander';
import { parseRateLimits, unknownSubjects } from '../../access/ratelimit/parse-rate-limits.ts';
import { systemClock } from '../../base/clock.ts';
import { idMaker } from '../../base/ids.ts';
import { duration } from '../../domain/text.ts';
import type { RateLimit, Workspace, WorkspaceLimits, WorkspaceSuspension } from '../../store/store.ts';
import { statusOption, withSuspensions } from '../api/serving.ts';
import { loadCatalogue } from '../catalogue.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { define, parseCount, parseName, type StoreOptions, storeCommand, storeFlag } from '../options.ts';
import { type Column, dateTime, listing, pairTable, printable, show } from '../output/output.ts';
import { addBrand } from './brand.ts';
import { changeAction, hostnameOf, storeAction, withChanges } from './open-database.ts';
import { addDeleteWorkspace } from './workspace-deletion.ts';

export const EXAMPLE_WORKSPACE = 'ws_01kaghm5q6e8x9b2c3d4f5g6h7';

const COLUMNS: Column<Workspace>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'Name', text: ({ name }) => name },
  { title: 'State', text: ({ disabledAt }) => (disabledAt === null ? 'enabled' : `disabled ${dateTime(disabledAt)}`) },
  { title: 'Created', text: ({ createdAt }) => dateTime(createdAt) },
];

export function addWorkspaces(program: Command): void {
  const summary =
    'Manage workspaces, which own domains and keys. Opens the database itself, so no server needs to run.';
  const workspaces = define(program, 'workspaces', summary, [
    'nameplate workspaces create acme',
    'nameplate workspaces list',
  ]);
  addCreate(workspaces);
  addList(workspaces);
  addSwitch(
    workspaces,
    'disable',
    'Reject every request with a key or token of the workspace, until it is enabled again. Its sites are still served: to stop them, use "workspaces suspend-sites".',
  );
  addSwitch(workspaces, 'enable', 'Accept the keys and tokens of a disabled workspace again.');
  addSuspend(workspaces);
  addLimits(workspaces);
  addDeleteWorkspace(workspaces, EXAMPLE_WORKSPACE, noWorkspace);
  addBrand(workspaces, EXAMPLE_WORKSPACE, noWorkspace);
}

function addCreate(workspaces: Command): void {
  storeCommand(workspaces, 'create', 'Create a workspace.', ['acme'])
    .argument('<name>', 'display name', parseName)
    .action(
      changeAction(
        async ({ store }, name) => {
          const limits = { rates: {}, domains: null };
          const id = idMaker(systemClock)('ws');
          const created = { id, name, disabledAt: null, limits, createdAt: systemClock.now() };
          await store.createWorkspace(created);
          return created;
        },
        ({ id, name }, options) => {
          const next = `nameplate keys create --workspace ${id} --permission 'environment.*.read_domain'${storeFlag(options)}`;
          return `Created workspace ${printable(name)} (${id}).\n\nNext: ${next}`;
        },
        { create: true },
      ),
    );
}

function addList(workspaces: Command): void {
  storeCommand(workspaces, 'list', 'List workspaces, oldest first.', ['--json']).action(
    storeAction(
      async ({ store }) => {
        const suspensionOf = async (workspace: Workspace) => ({
          ...workspace,
          suspension: await store.findWorkspaceSuspension(workspace.id),
        });
        return Promise.all((await store.listWorkspaces()).map(suspensionOf));
      },
      (found) => listing(withSuspensions(COLUMNS, found), 'No workspaces yet.')(found),
    ),
  );
}

function addSwitch(workspaces: Command, verb: 'disable' | 'enable', summary: string): void {
  storeCommand(workspaces, `${verb} <id>`, summary, [EXAMPLE_WORKSPACE]).action(
    changeAction(
      async ({ store }, id) => {
        const disabledAt = verb === 'disable' ? systemClock.now() : null;
        if (!(await store.setWorkspaceDisabled(id, disabledAt))) throw noWorkspace(id);
        return { id, disabledAt };
      },
      ({ id }) => `${verb === 'disable' ? 'Disabled' : 'Enabled'} workspace ${id}.`,
    ),
  );
}

type SuspendOptions = StoreOptions & { domain?: string };

function addSuspend(workspaces: Command): void {
  const summary =
    'Serve a page in place of all sites of a workspace, or of one site with --domain, until they are resumed. Takes effect within a second, and no key of the workspace can undo it. Keys, checks and certificates work as before: to reject the keys, use "workspaces disable".';
  const one = `${EXAMPLE_WORKSPACE} --domain shop.example.com`;
  storeCommand(workspaces, 'suspend-sites <id>', summary, [`${EXAMPLE_WORKSPACE} --status 451`, one])
    .addOption(statusOption())
    .option('--domain <name>', 'only this site, even if its domain is deleted and added again')
    .action(async (id: string, { status, ...options }: SuspendOptions & { status: '451' | '503' }) => {
      const suspension = { status: status === '451' ? 451 : 503, suspendedAt: systemClock.now() } as const;
      const [what, sites] = await setSuspension(options, 'suspend-sites', id, suspension);
      const shown = { id, domain: options.domain, suspension };
      show(options, shown, () => `Suspended ${what}: ${sites} a page with status ${status}.`);
    });
  const resume =
    'Serve the suspended sites of a workspace again, or with --domain one site that was suspended with --domain. Sites that the workspace itself suspended stay suspended.';
  storeCommand(workspaces, 'resume-sites <id>', resume, [EXAMPLE_WORKSPACE, one])
    .option('--domain <name>', 'only this site')
    .action(async (id: string, options: SuspendOptions) => {
      const [what] = await setSuspension(options, 'resume-sites', id, null);
      show(options, { id, domain: options.domain, suspension: null }, () => `Resumed ${what}.`);
    });
}

/** Resolves with parts of a message: the subject, and how its visitors see it. */
async function setSuspension(
  { domain, ...options }: SuspendOptions,
  verb: 'suspend-sites' | 'resume-sites',
  id: string,
  suspension: WorkspaceSuspension | null,
): Promise<[what: string, sites: string]> {
  const name = domain === undefined ? undefined : await hostnameOf(domain);
  const isFound = await withChanges(options, `workspaces ${verb}`, (store) =>
    store.setWorkspaceSuspension(id, suspension, name),
  );
  if (!isFound && name === undefined) throw noWorkspace(id);
  if (!isFound) throw new CliError(`The workspace ${id} has no ${suspension ? '' : 'suspended '}domain ${name}.`);
  return name === undefined
    ? [`the sites of workspace ${id}`, 'they show']
    : [`${name} in workspace ${id}`, 'visitors get'];
}

/** Null removes a limit. */
type RateChanges = Record<string, RateLimit | null>;
type LimitOptions = StoreOptions & { rate?: RateChanges; domains?: number | 'none' };

function addLimits(workspaces: Command): void {
  storeCommand(workspaces, 'limits <id>', 'Show the limits of a workspace, or change some of them.', [
    EXAMPLE_WORKSPACE,
    `${EXAMPLE_WORKSPACE} --rate domains.createDomain=60/1m --domains 100`,
    `${EXAMPLE_WORKSPACE} --rate 'domains.createDomain=none' --domains none`,
  ])
    .option(
      '--rate <operation=N/1m>',
      'requests per window, such as domains.createDomain=60/1m; "*" means every operation without a limit of its own; OPERATION=none removes a limit',
      parseRate,
    )
    .option('--domains <N>', 'maximum number of domains; none removes the limit', parseDomains)
    .action(async (id: string, options: LimitOptions) => {
      const { operations } = await loadCatalogue();
      const unknown = unknownSubjects(Object.keys(options.rate ?? {}), operations);
      if (unknown !== null) throw new CliError(`${unknown}.`, { exitCode: EXIT.usage });
      const limits = await withChanges(options, 'workspaces limits', async (store) => {
        const found = await store.findWorkspace(id);
        if (found === null) throw noWorkspace(id);
        if (options.rate === undefined && options.domains === undefined) return found.limits;
        const changed = changeLimits(found.limits, options);
        if (!(await store.setWorkspaceLimits(id, changed))) throw noWorkspace(id);
        return changed;
      });
      show(options, { id, limits }, () => describeLimits(limits));
    });
}

function changeLimits({ rates, domains }: WorkspaceLimits, options: LimitOptions): WorkspaceLimits {
  const changed: RateChanges = { ...rates, ...options.rate };
  const kept = Object.entries(changed).filter((entry): entry is [string, RateLimit] => entry[1] !== null);
  const most = options.domains ?? domains;
  return { rates: Object.fromEntries(kept), domains: most === 'none' ? null : most };
}

function parseRate(text: string, before: RateChanges = {}): RateChanges {
  const removed = /^([^=,]+)=none$/.exec(text)?.[1];
  if (removed !== undefined) return { ...before, [removed]: null };
  const parsed = parseRateLimits(text);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.message);
  return { ...before, ...parsed.limits };
}

function parseDomains(text: string): number | 'none' {
  return text === 'none' ? text : parseCount(text);
}

function describeLimits({ rates, domains }: WorkspaceLimits): string {
  const rows = Object.entries(rates).map(([operation, { limit, windowMs }]) => [
    operation,
    `${limit} in ${duration(windowMs)}`,
  ]);
  if (rows.length === 0) rows.push(['requests', 'not limited here; NAMEPLATE_RATE_LIMITS applies']);
  rows.push(['domains', domains === null ? 'no limit' : `at most ${domains}`]);
  return pairTable(['What', 'Limit'], rows);
}

export function noWorkspace(id: string): CliError {
  return new CliError(`There is no workspace ${id}. "nameplate workspaces list" lists all workspaces.`);
}
