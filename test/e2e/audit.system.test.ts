import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../server/src/cli/program.ts';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import type { AuditEntry, Store } from '../../server/src/store/store.ts';
import { aCaAccount, verify } from '../support/certificates.ts';
import { run, runJson, temporaryDirectory } from '../support/command.ts';
import { plant } from '../support/entities.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let store: Store;
let data: string[];
let workspaceId: string;
const NAME = 'shop.example.com';

beforeAll(async () => {
  directory = temporaryDirectory();
  data = ['--data', directory.path];
  const database = await databaseAt({ engine: 'sqlite', path: `${directory.path}/nameplate.db` });
  store = await database.open({ keyring: keyringFor(database) });
  const { workspace, environment } = await plant(store);
  workspaceId = workspace.id;
  await verify(store, environment, { name: NAME });
  const problem = { reason: 'ca_account', message: 'It is not accepted.', at: Date.now() } as const;
  await store.createCaAccount(aCaAccount({ pausedUntil: Date.now() + 3_600_000, problem }));
});
afterAll(async () => {
  await store.close();
  directory.remove();
});

const all = async () => (await store.listAuditEntries(undefined, { limit: 100 })).items;

async function added(args: string[]): Promise<AuditEntry[]> {
  const before = await all();
  expect(await run([...args, ...data]), args.join(' ')).toMatchObject({ code: 0 });
  return (await all()).slice(0, -before.length || undefined);
}

function file(name: string, text: string): string {
  const path = `${directory.path}/${name}`;
  writeFileSync(path, text);
  return path;
}

/** Commands that open the store and change something in it, as they are typed, in an order in which each succeeds. */
function changing(keyId: string): [action: string, args: string[]][] {
  const issued = issueChain(NAME);
  const chain = file('chain.pem', issued.leaf + issued.intermediate);
  const key = file('key.pem', keyPem(issued.key));
  return [
    ['workspaces create', ['acme']],
    ['workspaces disable', [workspaceId]],
    ['workspaces enable', [workspaceId]],
    ['workspaces suspend-sites', [workspaceId]],
    ['workspaces resume-sites', [workspaceId]],
    ['workspaces limits', [workspaceId, '--domains', '7']],
    ['workspaces brand', [workspaceId, '--name', 'Acme']],
    ['targets add', ['customers.example.net', '--workspace', workspaceId]],
    ['targets remove', ['customers.example.net']],
    ['keys create', ['--workspace', workspaceId, '--name', 'backend']],
    ['keys disable', [keyId]],
    ['keys enable', [keyId]],
    ['keys revoke', [keyId]],
    // The first token makes the key that signs.
    ['tokens create', ['--workspace', workspaceId]],
    ['tokens rotate', []],
    [
      'dashboard login',
      ['--workspace', workspaceId, '--as', 'ada', '--preset', 'support', '--server', 'https://api.example.net'],
    ],
    ['dashboard sign-out', ['--workspace', workspaceId, '--as', 'ada']],
    ['certificates resume', []],
    ['certificates renew', [NAME]],
    ['certificates import', [NAME, '--chain', chain, '--key', key]],
  ];
}

const reading: [action: string, args: string[]][] = [
  ['audit', []],
  ['workspaces list', []],
  ['targets list', []],
  ['keys list', []],
  ['certificates list', []],
  ['certificates show', [NAME]],
];

/**
 * They change no resource, but the schema, a copy of the file, how secrets are stored; those in the second line have
 * tests of their own.
 */
const others = [
  ...['migrate', 'backup', 'sealing rotate', 'doctor'],
  ...[
    'init',
    'keys rotate',
    'workspaces delete',
    'sealing forget',
    'certificates revoke',
    'certificates account rotate-key',
    'domain-connect template',
    'domain-connect rotate-key',
  ],
];

test('each command that changes something leaves one entry with its user and host, and no other command leaves any', async () => {
  const { id } = await runJson<{ id: string }>(['keys', 'create', '--workspace', workspaceId, ...data]);
  const commands = changing(id);
  for (const [action, args] of commands) {
    const by = { kind: 'command', action, from: hostname(), requestId: null };
    const found = await added([...action.split(' '), ...args]);
    expect(found, action).toMatchObject([by]);
    expect(found[0]?.actor.startsWith(userInfo().username), action).toBe(true);
  }
  for (const [action, args] of reading) expect(await added([...action.split(' '), ...args]), action).toEqual([]);
  // Limits and brand are only shown.
  for (const action of ['limits', 'brand']) expect(await added(['workspaces', action, workspaceId])).toEqual([]);
  const tried = [...commands, ...reading].map(([action]) => action);
  expect([...tried, ...others].sort()).toEqual(storeCommands(createProgram().program).sort());
});

test('a command that is refused leaves no entry', async () => {
  const before = await all();
  for (const args of [
    ['keys', 'revoke', 'key_none'],
    ['keys', 'create', '--workspace', 'ws_none'],
    ['workspaces', 'disable', 'ws_none'],
    ['certificates', 'renew', 'none.example.com'],
  ])
    expect(await run([...args, ...data])).toMatchObject({ code: 1 });
  expect(await all()).toEqual(before);
});

test('workspaces delete leaves an entry for each thing that goes, and without --confirm none', async () => {
  const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'gone', ...data]);
  await store.createProject({ id: 'proj_gone', workspaceId: id, slug: 'shop', name: null, createdAt: 1 });
  const before = await all();
  expect(await run(['workspaces', 'delete', id, ...data])).toMatchObject({ code: 2 });
  expect(await all()).toEqual(before);
  const found = await added(['workspaces', 'delete', id, '--confirm', 'gone']);
  expect(new Set(found.map(({ action }) => action))).toEqual(new Set(['workspaces delete']));
  // It is disabled first.
  expect(found.map(({ target, targetName }) => targetName ?? target)).toEqual(['gone', 'shop', id]);
});

test('nameplate init leaves an entry for each thing that it makes', async () => {
  const database = ['--database', `sqlite:${directory.path}/new.db`];
  expect(await run(['init', ...database])).toMatchObject({ code: 0 });
  const { entries } = await runJson<{ entries: AuditEntry[] }>(['audit', ...database]);
  expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(['init']));
  const kinds = entries.map(({ target }) => target.split('_')[0]);
  expect(kinds).toEqual(['key', 'env', 'app', 'proj', 'ws']);
});

test('nameplate audit filters and pages, for people and as JSON', async () => {
  interface Page {
    entries: AuditEntry[];
    next?: string;
  }
  const audit = (...args: string[]) => runJson<Page>(['audit', ...args, ...data]);
  const { entries } = await audit('--action', 'keys revoke');
  expect(entries).toMatchObject([{ workspaceId, action: 'keys revoke' }]);
  expect((await audit('--target', entries[0]?.target ?? '')).entries.length).toBeGreaterThan(1);
  expect((await audit('--actor', 'nobody')).entries).toEqual([]);
  const first = await audit('--limit', '2');
  const rest = await audit('--before', first.next ?? '');
  expect([...first.entries, ...rest.entries].map(({ id }) => id)).toEqual((await all()).map(({ id }) => id));
  const others = await audit('--workspace', 'ws_none');
  expect(others).toEqual({ entries: [] });
  const { stdout } = await run(['audit', '--limit', '2', ...data]);
  expect(stdout).toMatch(/Time +Action/);
  expect(stdout).toContain(`--before ${first.next}`);
  const made = await run(['audit', '--action', 'keys create', ...data]);
  expect(made.stdout).toMatch(/keys create +key backend /);
});

/** Every command with `--database`. */
function storeCommands(command: Command, path: string[] = []): string[] {
  const own = command.options.some(({ long }) => long === '--database') ? [path.join(' ')] : [];
  return [...own, ...command.commands.flatMap((each) => storeCommands(each, [...path, each.name()]))];
}
