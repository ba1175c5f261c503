import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PRESET_NAMES, PRESETS, type PresetName } from '../../../../words/presets.ts';
import { createRootKey } from '../../access/secret-text.ts';
import { systemClock } from '../../base/clock.ts';
import { idMaker } from '../../base/ids.ts';
import { duration } from '../../domain/text.ts';
import type { ListedRootKey, RootKey } from '../../store/store.ts';
import { requirePermissions } from '../catalogue.ts';
import { CliError } from '../cli-error.ts';
import { collectNames, define, parseDuration, parseName, type StoreOptions, storeCommand } from '../options.ts';
import { type Column, dateTime, listing, paint, show } from '../output/output.ts';
import { changeAction, type StoreCall, storeAction, withChanges } from './open-database.ts';
import { EXAMPLE_WORKSPACE, noWorkspace } from './workspaces.ts';

const EXAMPLE_KEY = 'key_01kaghn1h2f7n8v3q0y6w5t4r9';

const COLUMNS: Column<ListedRootKey>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'Key', text: ({ start }) => `${start}…` },
  { title: 'Name', text: ({ name }) => name },
  { title: 'Workspace', text: ({ workspaceId }) => workspaceId },
  { title: 'State', text: stateOf },
  { title: 'Made by', text: ({ createdBy }) => createdBy ?? '' },
  { title: 'Last used', text: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : dateTime(lastUsedAt)) },
  {
    title: 'Permissions',
    text: ({ permissions }) => (permissions.length > 2 ? `${permissions.length} permissions` : permissions.join(', ')),
  },
];

interface CreateOptions extends StoreOptions {
  workspace: string;
  name?: string;
  permission?: string[];
  preset?: PresetName;
  expires?: number;
}

const DAY_MS = 86_400_000;

export function addKeys(program: Command): void {
  const summary =
    'Manage root keys, which authenticate API requests. Opens the database itself, so no server needs to run.';
  const keys = define(program, 'keys', summary, [
    `nameplate keys create --workspace ${EXAMPLE_WORKSPACE} --permission 'environment.*.read_domain'`,
    'nameplate keys list',
  ]);
  addCreate(keys);
  addList(keys);
  addSwitch(keys, 'disable', 'Reject requests with the key until it is enabled again.');
  addSwitch(keys, 'enable', 'Accept a disabled key again.');
  addRotate(keys);
  addRevoke(keys);
}

function addCreate(keys: Command): void {
  storeCommand(keys, 'create', 'Create a root key. The key is shown only once: the database stores only its hash.', [
    `--workspace ${EXAMPLE_WORKSPACE} --name backend --permission 'environment.*.read_domain' --permission 'environment.*.create_domain'`,
    `--workspace ${EXAMPLE_WORKSPACE} --preset support --expires 30d --json`,
  ])
    .requiredOption('--workspace <id>', 'workspace of the key')
    .option('--name <name>', 'display name', parseName)
    .option(
      '--permission <permission>',
      'what the key allows, such as environment.*.read_domain; repeat it for several. docs/reference/permissions.md lists all permissions (default: nothing)',
      collectNames,
    )
    .addOption(
      new Option('--preset <preset>', 'a set of permissions, in addition to --permission').choices(PRESET_NAMES),
    )
    .option(
      '--expires <time>',
      'when the key expires: a duration from now, such as 30d, or an RFC 3339 time (default: never)',
      parseExpiry,
    )
    .action(async ({ workspace, name = '', permission, preset, expires, ...options }: CreateOptions) => {
      const { key, hash, start } = createRootKey(randomBytes);
      const created: RootKey = {
        id: idMaker(systemClock)('key'),
        workspaceId: workspace,
        start,
        name,
        permissions: [...new Set([...(preset ? PRESETS[preset] : []), ...(permission ?? [])])],
        expiresAt: expires ?? null,
        disabledAt: null,
        createdAt: systemClock.now(),
      };
      await requirePermissions('key', created.permissions);
      const outcome = await withChanges(options, 'keys create', (store) => store.createRootKey(created, hash));
      if (outcome === 'workspace_missing') throw noWorkspace(workspace);
      showKey(options, { ...created, key });
    });
}

function addList(keys: Command): void {
  storeCommand(keys, 'list', 'List keys, oldest first. Revoked keys are deleted and not listed.', ['--json'])
    .option('--workspace <id>', 'only the keys of one workspace')
    .action(
      storeAction(
        ({ store, options }: StoreCall<{ workspace?: string }>) => store.listRootKeys(options.workspace),
        listing(COLUMNS, 'No keys yet.'),
      ),
    );
}

function addSwitch(keys: Command, verb: 'disable' | 'enable', summary: string): void {
  storeCommand(keys, `${verb} <id>`, summary, [EXAMPLE_KEY]).action(
    changeAction(
      async ({ store }, id) => {
        const disabledAt = verb === 'disable' ? systemClock.now() : null;
        if (!(await store.setRootKeyDisabled(id, disabledAt))) throw noKey(id);
        return { id, disabledAt };
      },
      ({ id }) => `${verb === 'disable' ? 'Disabled' : 'Enabled'} key ${id}.`,
    ),
  );
}

type RotateOptions = StoreOptions & { overlap?: number };

function addRotate(keys: Command): void {
  const summary =
    'Replace a key with a new one that has the same name, permissions and expiry. The old key works until the overlap ends. The new key is shown only once.';
  storeCommand(keys, 'rotate <id>', summary, [EXAMPLE_KEY, `${EXAMPLE_KEY} --overlap 7d`])
    .option(
      '--overlap <duration>',
      'how long the old key still works, such as 1h; use 0 if it has leaked (default: 1d)',
      parseOverlap,
    )
    .action(async (id: string, { overlap = DAY_MS, ...options }: RotateOptions) => {
      const { key, hash, start } = createRootKey(randomBytes);
      const createdAt = systemClock.now();
      const successor = { id: idMaker(systemClock)('key'), start, createdAt };
      const outcome = await withChanges(options, 'keys rotate', (store) =>
        store.rotateRootKey(null, id, successor, hash, createdAt + overlap),
      );
      if (outcome === 'missing') throw noKey(id);
      if (outcome !== 'rotated')
        throw new CliError(`The key ${id} was rotated before, is disabled, or has expired. Nothing was changed.`);
      const until = overlap === 0 ? 'The old key works no longer.' : `The old key works for ${duration(overlap)} more.`;
      showKey(options, { id: successor.id, replaces: id, key }, until);
    });
}

function showKey(options: StoreOptions, made: { id: string; key: string; replaces?: string }, more = ''): void {
  const text = `Created key ${made.id}. Save it now: it is not shown again. ${more}`.trimEnd();
  show(options, made, () => [text, '', `  ${paint('bold', made.key)}`].join('\n'));
}

function parseOverlap(text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text);
  if (ms > 30 * DAY_MS) throw new InvalidArgumentError('Expected at most 30d.');
  return ms;
}

function addRevoke(keys: Command): void {
  storeCommand(keys, 'revoke <id>', 'Delete a key permanently.', [EXAMPLE_KEY]).action(
    changeAction(
      async ({ store }, id) => {
        if (!(await store.revokeRootKey(id))) throw noKey(id);
        return { id, revoked: true };
      },
      ({ id }) => `Revoked key ${id}. Every server rejects it within a second.`,
    ),
  );
}

function stateOf({ disabledAt, expiresAt }: RootKey): string {
  if (disabledAt !== null) return `disabled ${dateTime(disabledAt)}`;
  if (expiresAt === null) return 'enabled';
  return `${expiresAt > systemClock.now() ? 'expires' : 'expired'} ${dateTime(expiresAt)}`;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const LONGEST_MS = 100 * 365 * 86_400_000;

/** A duration from now, or a future RFC 3339 time. Returns Unix milliseconds. */
function parseExpiry(text: string): number {
  const now = systemClock.now();
  const at = expiryOf(text, now);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Expected a duration such as 30d, or a time such as 2027-01-31T12:00:00Z.');
  if (at <= now) throw new InvalidArgumentError('That time is in the past.');
  if (at - now > LONGEST_MS)
    throw new InvalidArgumentError('That is more than 100 years away; without --expires a key does not expire.');
  return at;
}

function expiryOf(text: string, now: number): number {
  if (/^\d+(\.\d+)?[smhd]$/.test(text)) return now + parseDuration(text);
  return RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
}

function noKey(id: string): CliError {
  return new CliError(`There is no key ${id}. "nameplate keys list" lists all keys.`);
}
