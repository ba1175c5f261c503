import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { run, runJson, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const file = (name: string) => `${directory.path}/${name}.db`;
const databaseAt = (name: string) => ['--database', `sqlite:${file(name)}`];
afterAll(() => directory.remove());

interface Made {
  id: string;
}

test('init prints the variables with which an origin is deployed and a domain created; its key is in no log and not in the store', async () => {
  const database = databaseAt('first');
  const { code, stdout } = await run(['init', 'My platform', '--project', 'shop', ...database]);
  expect(code).toBe(0);
  // A shell may evaluate it.
  for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^(# |export \w+=[\w:/.-]+$)/);
  const exported = new Map(
    [...stdout.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect([...exported.keys()]).toEqual(['NAMEPLATE_URL', 'NAMEPLATE_ROOT_KEY']);
  expect(exported.get('NAMEPLATE_URL')).toBe('http://127.0.0.1:7070');
  const key = exported.get('NAMEPLATE_ROOT_KEY') ?? '';
  const [, next = ''] = /^# Next, while serve runs: nameplate (.+)$/m.exec(stdout) ?? [];

  const server = start(['serve'], {
    env: {
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
      NAMEPLATE_DATABASE_URL: `sqlite:${file('first')}`,
      NAMEPLATE_ROLES: 'api',
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: 'off',
    },
  });
  const [line] = await server.says(/^\{.*"msg":"ready"\}$/m);
  const env = { NAMEPLATE_URL: JSON.parse(line).api, NAMEPLATE_ROOT_KEY: key };
  await runJson(next.split(' '), { env });
  const place = ['--project', 'shop', '--app', 'web', '--environment', 'production'];
  await runJson(['domains', 'create', 'docs.example.com', ...place], { env });
  expect(await runJson(['webhooks', 'list'], { env })).toEqual([]);
  const { stdout: logged, stderr } = await server.stop();
  expect(logged + stderr).not.toContain(key);
  expect(readFileSync(file('first')).includes(key)).toBe(false);
});

test('init changes nothing in a store with a workspace, and says what is there', async () => {
  const database = databaseAt('used');
  const { id } = await runJson<Made>(['workspaces', 'create', 'acme', ...database]);
  const refused = await run(['init', ...database]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`The store is set up already: it has the workspace ${id} "acme".`);
  expect(refused.stderr).toContain(`nameplate keys create --workspace ${id} `);
  expect(await runJson(['keys', 'list', ...database])).toEqual([]);
  expect(await runJson(['workspaces', 'list', ...database])).toHaveLength(1);
});

test('init a second time makes no second key', async () => {
  const database = databaseAt('twice');
  await runJson(['init', ...database]);
  expect(await run(['init', ...database])).toMatchObject({ code: 1, stdout: '' });
  expect(await runJson(['keys', 'list', ...database])).toHaveLength(1);
});

test('init completes a workspace that an interrupted one left without a key', async () => {
  const database = databaseAt('interrupted');
  const { id } = await runJson<Made>(['workspaces', 'create', 'My platform', ...database]);
  expect(await runJson(['init', ...database])).toMatchObject({ workspaceId: id, project: 'main' });
  expect(await runJson(['keys', 'list', ...database])).toHaveLength(1);
});

test('init refuses a slug that the API would refuse', async () => {
  const refused = await run(['init', '--project', 'My shop', ...databaseAt('none')]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('lower-case letters') });
});
