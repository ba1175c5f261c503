import { afterAll, expect, test } from 'vitest';
import { run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const database = `sqlite:${directory.path}/nameplate.db`;
let server: Started;
afterAll(async () => {
  await server.stop();
  directory.remove();
});

test('tokens are minted and rotated from the command line, while a server runs on the store', async () => {
  const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'acme', '--database', database]);
  server = start(['serve'], {
    env: {
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
      NAMEPLATE_DATABASE_URL: database,
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: 'off',
      NAMEPLATE_ROLES: 'api',
    },
  });
  const [, line = ''] = await server.says(/^(\{.*"msg":"ready"\})$/m);
  const { api } = JSON.parse(line) as { api: string };
  const mint = [
    'tokens',
    'create',
    '--workspace',
    id,
    '--permission',
    'project.*.read_project',
    '--database',
    database,
  ];
  const ask = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(`${api}/v2/projects.listProjects`, { method: 'POST', headers, body: '{}' })).status;
  };

  const { stdout } = await run(mint);
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  expect(await ask(stdout.trim())).toBe(200);

  await run(['tokens', 'rotate', '--database', database]);
  expect(await ask(stdout.trim())).toBe(200);
  const minted = await runJson<Record<string, unknown>>([...mint, '--subject', 'ada', '--expires', '2m']);
  expect(minted).toMatchObject({ sub: 'ada', workspaceId: id, permissions: ['project.*.read_project'] });
  expect(await ask(String(minted.token))).toBe(200);

  await run(['tokens', 'rotate', '--revoke', '--database', database]);
  let status = await ask(String(minted.token));
  while (status === 200) status = await ask(String(minted.token));
  expect(status).toBe(401);

  const nobody = await run(['tokens', 'create', '--workspace', 'ws_none', '--database', database]);
  expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no workspace ws_none') });
});
