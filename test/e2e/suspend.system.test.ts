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

test('a suspension by the operator is shown, and stays until the operator resumes it', async () => {
  const [workspace] = (await runJson(['workspaces', 'list', ...data])) as [{ id: string }];
  expect(await said('workspaces', 'suspend-sites', workspace.id, '--status', '451')).toBe(
    `Suspended the sites of workspace ${workspace.id}: they show a page with status 451.\n`,
  );
  const refused = { code: 1, stderr: expect.stringContaining(`The operator of the server has suspended ${name}`) };
  expect(await run(['domains', 'resume', name, ...data])).toMatchObject(refused);
  expect(await said('domains', 'suspend', name)).toBe(
    `${name} is suspended by the operator of the server, and no key can lift that: visitors get a page with status 451.\n`,
  );
  expect(await said('domains', 'resume', name)).toContain('by the operator');
  expect(await said('workspaces', 'list')).toMatch(/Suspended *\n.* 451 since /);
  expect(await said('workspaces', 'resume-sites', workspace.id)).toBe(
    `Resumed the sites of workspace ${workspace.id}.\n`,
  );
  expect(await said('workspaces', 'list')).not.toContain('Suspended');
  expect(await said('domains', 'resume', name)).toBe(`${name} is not suspended.\n`);
  expect(await said('domains', 'list', '--environment', 'staging')).not.toContain('Suspended');
  const one = ['workspaces', 'suspend-sites', workspace.id, '--domain', name.toUpperCase(), ...data];
  expect((await run(one)).stdout).toBe(
    `Suspended ${name} in workspace ${workspace.id}: visitors get a page with status 503.\n`,
  );
  expect(await run(['domains', 'resume', name, ...data])).toMatchObject(refused);
  expect(await said('domains', 'list', '--environment', 'staging')).toMatch(
    new RegExp(`Suspended *\n.*${name}.* 503 since `),
  );
  const listed = await runJson(['domains', 'list', '--environment', 'staging', ...data]);
  expect(listed).toMatchObject([{ domain: name, suspension: { by: 'operator' } }]);
  expect(await runJson(['domains', 'list', ...data])).toEqual([]);
  expect(await said('workspaces', 'resume-sites', workspace.id, '--domain', name)).toBe(
    `Resumed ${name} in workspace ${workspace.id}.\n`,
  );
  const { entries } = await runJson<{ entries: object[] }>(['audit', '--target', name, ...data]);
  expect(entries).toMatchObject([
    { action: 'workspaces resume-sites', workspaceId: workspace.id },
    { action: 'workspaces suspend-sites', detail: { status: 503 } },
    ...Array(entries.length - 2).fill({}),
  ]);
  const none = await run(['workspaces', 'resume-sites', workspace.id, '--domain', name, ...data]);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('has no suspended domain') });
  const unknown = await run(['workspaces', 'suspend-sites', 'ws_01kaghm5q6e8x9b2c3d4f5g6h7', ...data]);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no workspace') });
  expect((await run(['domains', 'suspend', name, '--status', '404', ...data])).code).toBe(2);
});

test('several domains are restored at once, each with its outcome, and those that cannot be are named', async () => {
  for (const other of ['a.example.com', 'b.example.com']) {
    await run(['domains', 'create', other, '--environment', 'staging', ...data]);
    await run(['domains', 'delete', other, ...data]);
  }
  const some = await run(['domains', 'restore', 'a.example.com', 'none.example.com', 'b.example.com', ...data]);
  expect(some).toMatchObject({ code: 3, stderr: '' });
  expect(some.stdout).toMatch(
    /^a\.example\.com: restored, \w+\nnone\.example\.com: not restored\. .+\nb\.example\.com: restored, \w+\n$/,
  );
  for (const other of ['a.example.com', 'b.example.com']) await run(['domains', 'delete', other, ...data]);
  expect(await runJson(['domains', 'restore', 'a.example.com', 'b.example.com', ...data])).toMatchObject({
    restored: [{ domain: 'a.example.com' }, { domain: 'b.example.com' }],
    refused: [],
  });
  expect(await run(['domains', 'restore', 'none.example.com', ...data])).toMatchObject({ code: 1 });
});

test('an environment is not deleted by the way while domains of it could be restored: they are named, and --yes is needed', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `n${10 + i}.example.com`);
  await run(['environments', 'create', 'short-lived', ...data]);
  for (const each of names) {
    await run(['domains', 'create', each, '--environment', 'short-lived', ...data]);
    await run(['domains', 'delete', each, ...data]);
  }
  const remove = (...flags: string[]) => run(['environments', 'delete', 'short-lived', ...flags, ...data]);
  expect(await remove()).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /but not once it is deleted: n10\.example\.com, .*, n19\.example\.com and 2 more\.\n.*--yes/,
    ),
  });
  expect(await run(['domains', 'restore', 'n10.example.com', ...data])).toMatchObject({ code: 0 });
  expect(await remove('--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('still has domains') });
  await run(['domains', 'delete', 'n10.example.com', ...data]);
  expect(await remove('--yes')).toMatchObject({ code: 0, stdout: 'Deleted environment short-lived.\n' });
  expect(await run(['domains', 'restore', 'n10.example.com', ...data])).toMatchObject({ code: 1 });
});
