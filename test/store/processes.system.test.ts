import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pendingMigrations, sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Environment, Store } from '../../server/src/store/store.ts';
import { attach, NOW, plant } from '../support/entities.ts';
import { COMPILE_CACHE } from '../support/server-process.ts';
import { readAll } from './tree.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-processes-'));
  path = join(directory, 'nameplate.db');
});
afterEach(() => rm(directory, { recursive: true }));

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** Another process, see `child.ts`, and the lines it says. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [new URL('./child.ts', import.meta.url).pathname, ...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.add(child);
  const exited = once(child, 'exit').finally(() => started.delete(child));
  const lines: string[] = [];
  const said = createInterface(child.stdout);
  said.on('line', (line) => lines.push(line));
  return { child, said, lines, ended: Promise.all([exited, once(said, 'close')]) };
}

function writer(environment: Environment, count: number) {
  return start('write', path, JSON.stringify(environment), String(count));
}

async function idsIn(store: Store, { workspaceId, id }: Environment): Promise<string[]> {
  const { items } = await readAll(100, (page) => store.listDomains(workspaceId, id, page));
  return items.map((domain) => domain.id);
}

it('takes the writes of several processes at once', async () => {
  const store = await sqliteStore({ path });
  const { environment } = await plant(store);
  const others = [writer(environment, 100), writer(environment, 100)];
  const mine: string[] = [];
  for (let i = 0; i < 100; i++) mine.push((await attach(store, environment)).id);
  await Promise.all(others.map(({ ended }) => ended));
  const acknowledged = [...mine, ...others.flatMap(({ lines }) => lines)];
  expect(acknowledged).toHaveLength(300);
  expect((await idsIn(store, environment)).sort()).toEqual(acknowledged.sort());
  await store.close();
});

it('reads what another process has changed', async () => {
  const store = await sqliteStore({ path });
  const { environment, workspace } = await plant(store);
  const { latest } = await store.changesSince(0);
  const other = await sqliteStore({ path });
  await other.setWorkspaceDisabled(workspace.id, NOW);
  await other.close();
  expect((await store.changesSince(latest)).changes).toMatchObject([{ kind: 'workspace', key: workspace.id }]);
  expect(await idsIn(store, environment)).toEqual([]);
  await store.close();
});

it('is migrated once by processes that do it at the same moment', async () => {
  const all = (await pendingMigrations(path)).length;
  const processes = [1, 2, 3].map(() => start('migrate', path));
  const exits = await Promise.all(processes.map(({ ended }) => ended));
  expect(exits.map(([[code]]) => code)).toEqual([0, 0, 0]);
  expect(processes.flatMap(({ lines }) => lines).sort()).toEqual(['0', '0', String(all)]);
  expect(await pendingMigrations(path)).toEqual([]);
});
