import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANY_PORTS, run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const name = 'shop.example.com';
let playground: Started;

beforeAll(async () => {
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
  await run(['domains', 'create', name, ...data]);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

const said = async (...args: string[]) => (await run([...args, ...data])).stdout;

test('a domain is suspended, resumed and moved from the command line, and its events say so', async () => {
  const page = `${name} is suspended: visitors get a page with status`;
  expect(await said('domains', 'suspend', name)).toBe(`${page} 503.\n`);
  expect(await said('domains', 'suspend', name, '--status', '451')).toBe(`${page} 451.\n`);
  expect(await said('domains', 'resume', name)).toBe(`${name} is not suspended.\n`);
  await run(['environments', 'create', 'staging', ...data]);
  const moved = await runJson(['domains', 'move', name, '--environment', 'staging', ...data]);
  expect(moved).toMatchObject({ domain: name, environmentId: expect.stringMatching(/^env_/) });
  expect(await said('domains', 'events', name)).toMatch(
    /domain\.suspended by key_[\s\S]*domain\.suspended by key_[\s\S]*domain\.resumed by key_[\s\S]*domain\.moved by key_/,
  );
});

test('what the operator suspends is shown, and stays until the operator resumes it', async () => {
  const [workspace] = (await runJson(['workspaces', 'list', ...data])) as [{ id: string }];
  expect(await said('workspaces', 'suspend', workspace.id, '--status', '451')).toBe(
    `Suspended workspace ${workspace.id}: its sites show a page with status 451.\n`,
  );
  expect(await said('domains', 'resume', name)).toBe(
    `${name} is suspended by the operator of the server, with its whole workspace: visitors get a page with status 451.\n`,
  );
  expect(await said('workspaces', 'resume', workspace.id)).toBe(`Resumed workspace ${workspace.id}.\n`);
  expect(await said('domains', 'resume', name)).toBe(`${name} is not suspended.\n`);
  const unknown = await run(['workspaces', 'suspend', 'ws_01kaghm5q6e8x9b2c3d4f5g6h7', ...data]);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no workspace') });
  expect((await run(['domains', 'suspend', name, '--status', '404', ...data])).code).toBe(2);
});
