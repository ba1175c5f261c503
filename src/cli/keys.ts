import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { parseGrant } from '../access/permissions.ts';
import { createRootKey } from '../access/root-key.ts';
import { systemClock } from '../clock.ts';
import { nearest } from '../domain/nearest.ts';
import { idMaker } from '../ids.ts';
import type { RootKey } from '../store/contract/store.ts';
import { loadCatalogue } from './catalogue.ts';
import { CliError } from './cli-error.ts';
import { withStore } from './open-database.ts';
import { collect, define, group, parseDuration, parseName, type StoreOptions, storeOptions } from './options.ts';
import { type Column, harmless, paint, show, table, when } from './output.ts';

const EXAMPLE_KEY = 'key_01kaghn1h2f7n8v3q0y6w5t4r9';
const EXAMPLE_WORKSPACE = 'ws_01kaghm5q6e8x9b2c3d4f5g6h7';

const COLUMNS: Column<RootKey>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'Key', text: ({ start }) => `${start}…` },
  { title: 'Name', text: ({ name }) => name },
  { title: 'Workspace', text: ({ workspaceId }) => workspaceId },
  { title: 'State', text: stateOf },
  {
    title: 'Permissions',
    text: ({ permissions }) => (permissions.length > 2 ? `${permissions.length} permissions` : permissions.join(', ')),
  },
];

interface CreateOptions extends StoreOptions {
  workspace: string;
  name?: string;
  permission?: string[];
  expires?: number;
}

export function addKeys(program: Command): void {
  const keys = group(program, 'keys', 'Root keys: what requests carry. Straight on the store.', [
    `nameplate keys create --workspace ${EXAMPLE_WORKSPACE} --permission 'environment.*.read_domain'`,
    'nameplate keys list',
  ]);
  addCreate(keys);
  addList(keys);
  addSwitch(keys, 'disable', 'Refuse requests with the key until it is enabled again.');
  addSwitch(keys, 'enable', 'Let a disabled key work again.');
  addRevoke(keys);
}

function addCreate(keys: Command): void {
  const create = define(keys, 'create', 'Make a root key. It is shown once and kept nowhere.', [
    `nameplate keys create --workspace ${EXAMPLE_WORKSPACE} --name backend --permission 'environment.*.read_domain' --permission 'environment.*.create_domain'`,
    `nameplate keys create --workspace ${EXAMPLE_WORKSPACE} --expires 30d --json`,
  ]);
  storeOptions(create)
    .requiredOption('--workspace <id>', 'workspace that the key belongs to')
    .option('--name <name>', 'name for people', parseName)
    .option('--permission <permission>', 'what the key may do; may be given several times', collectPermission)
    .option('--expires <time>', 'when it ends: in 30d, or at an RFC 3339 time (default: never)', parseExpiry)
    .action(async (options: CreateOptions) => {
      const clock = systemClock;
      const { key, hash, start } = createRootKey(randomBytes);
      const permissions = [...new Set(options.permission)];
      const about = { name: options.name ?? '', permissions, expiresAt: options.expires ?? null, disabledAt: null };
      const made = {
        id: idMaker(clock)('key'),
        workspaceId: options.workspace,
        start,
        ...about,
        createdAt: clock.now(),
      };
      const outcome = await withStore(options, (store) => store.createRootKey(made, hash));
      if (outcome === 'workspace_missing') {
        throw new CliError(`There is no workspace ${options.workspace}. "nameplate workspaces list" shows all.`);
      }
      await noteGrants('key', permissions);
      show(options, { ...made, key }, () =>
        [
          `Created key ${made.id}. Keep it in a safe place now: it is not shown again.`,
          '',
          `  ${paint('bold', key)}`,
        ].join('\n'),
      );
    });
}

function addList(keys: Command): void {
  storeOptions(define(keys, 'list', 'List keys, oldest first. Revoked ones are gone.', ['nameplate keys list --json']))
    .option('--workspace <id>', 'only those of one workspace')
    .action(async (options: StoreOptions & { workspace?: string }) => {
      const found = await withStore(options, (store) => store.listRootKeys(options.workspace));
      show(options, found, (rows) => (rows.length === 0 ? 'No keys yet.' : table(COLUMNS, rows)));
    });
}

function addSwitch(keys: Command, verb: 'disable' | 'enable', summary: string): void {
  storeOptions(define(keys, `${verb} <id>`, summary, [`nameplate keys ${verb} ${EXAMPLE_KEY}`])).action(
    async (id: string, options: StoreOptions) => {
      const disabledAt = verb === 'disable' ? systemClock.now() : null;
      if (!(await withStore(options, (store) => store.setRootKeyDisabled(id, disabledAt)))) throw noKey(id);
      show(options, { id, disabledAt }, () => `${verb === 'disable' ? 'Disabled' : 'Enabled'} key ${id}.`);
    },
  );
}

function addRevoke(keys: Command): void {
  storeOptions(define(keys, 'revoke <id>', 'Delete a key for good.', [`nameplate keys revoke ${EXAMPLE_KEY}`])).action(
    async (id: string, options: StoreOptions) => {
      if (!(await withStore(options, (store) => store.revokeRootKey(id)))) throw noKey(id);
      show(options, { id, revoked: true }, () => `Revoked key ${id}. Within a second it is refused everywhere.`);
    },
  );
}

function stateOf({ disabledAt, expiresAt }: RootKey): string {
  if (disabledAt !== null) return `disabled ${when(disabledAt)}`;
  if (expiresAt === null) return 'enabled';
  return `${expiresAt > systemClock.now() ? 'expires' : 'expired'} ${when(expiresAt)}`;
}

/** One more of the permissions that are given. */
export function collectPermission(text: string, before?: string[]): string[] {
  return collect(parseName(text), before);
}

/** Grants are taken as given; what looks mistaken is said on standard error, not refused. */
export async function noteGrants(holder: 'key' | 'token', permissions: string[]): Promise<void> {
  const { grants } = await loadCatalogue();
  for (const warning of warningsOf(holder, permissions, grants)) process.stderr.write(`nameplate: ${warning}\n`);
}

/** What looks mistaken in these permissions, one line each; `grants` are those that operations ask for. */
export function warningsOf(holder: string, permissions: readonly string[], grants: readonly string[]): string[] {
  if (permissions.length === 0)
    return [`the ${holder} has no permission, so it can do nothing; give it some with --permission.`];
  return permissions.flatMap((permission) => {
    const written = `"${harmless(permission)}"`;
    const grant = parseGrant(permission);
    if (grant === null) return [`${written} has the form of no permission; one looks like environment.*.read_domain.`];
    // The other form is not asked for by any operation yet.
    if (grant.form === 'resource') return [];
    const anyId = `${grant.resource}.*.${grant.action}`;
    if (grants.includes(anyId)) return [];
    const meant = nearest(anyId, grants)?.replace('*', grant.id);
    return [`${written} is asked for by no operation.${meant === undefined ? '' : ` Did you mean ${meant}?`}`];
  });
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Longer is meant by nobody. */
const LONGEST_MS = 100 * 365 * 86_400_000;

/** A length of time from now, or an RFC 3339 time that is still to come. */
function parseExpiry(text: string): number {
  const now = systemClock.now();
  const at = expiryOf(text, now);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('It is a length of time such as 30d, or a time such as 2027-01-31T12:00:00Z.');
  if (at <= now) throw new InvalidArgumentError('That time is over already.');
  if (at - now > LONGEST_MS)
    throw new InvalidArgumentError('That is more than 100 years away; without --expires a key never ends.');
  return at;
}

function expiryOf(text: string, now: number): number {
  if (/^\d+(\.\d+)?[smhd]$/.test(text)) return now + parseDuration(text);
  return RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
}

function noKey(id: string): CliError {
  return new CliError(`There is no key ${id}. "nameplate keys list" shows all.`);
}
