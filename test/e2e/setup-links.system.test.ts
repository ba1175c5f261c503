import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANY_PORTS, run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Started;

beforeAll(async () => {
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
  await run(['domains', 'create', 'shop.example.com', ...data]);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

interface Link {
  linkId: string;
  url: string;
  token: string;
  expiresAt: number;
}

const openSession = async ({ url, token }: Link) => {
  const answer = await fetch(new URL('/v2/setup.openSession', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify({ token }),
  });
  return { status: answer.status, body: await answer.json() };
};

test('a link is made, opens the playground at the address that browsers reach, is listed and revoked', async () => {
  const link = await runJson<Link>(['domains', 'setup-link', 'shop.example.com', '--expires', '1h', ...data]);
  expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/setup#nps_/);
  expect(link.expiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect(await openSession(link)).toMatchObject({
    status: 200,
    body: { data: { domain: { domain: 'shop.example.com' } } },
  });

  const printed = (await run(['domains', 'setup-link', 'shop.example.com', ...data])).stdout;
  expect(printed).toMatch(/\/setup#nps_\w{39}/);
  const listed = await run(['domains', 'setup-links', 'shop.example.com', ...data]);
  expect(listed.stdout).toContain(`${link.linkId}  setup  works until`);
  expect(listed.stdout).not.toContain('nps_');

  await run(['domains', 'revoke-setup-link', link.linkId, ...data]);
  expect((await run(['domains', 'setup-links', 'shop.example.com', ...data])).stdout).toContain(
    `${link.linkId}  setup  revoked`,
  );
  expect(await openSession(link)).toMatchObject({ status: 401, body: { error: { type: 'setup-link-revoked' } } });
});

test.each(['59s', '31d', '90.5s', 'never'])('a link is not made for %s', async (time) => {
  const { code, stderr } = await run(['domains', 'setup-link', 'shop.example.com', '--expires', time, ...data]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--expires')]);
});

test('the brand of a workspace is set in parts, shown, and taken away; a running server shows it at once', async () => {
  const [{ id }] = await runJson<[{ id: string }]>(['workspaces', 'list', ...data]);
  const brand = (...flags: string[]) => runJson<object>(['workspaces', 'brand', id, ...flags, ...data]);
  expect(await brand()).toEqual({ id, brand: {}, origins: [] });
  const logo = join(directory.path, 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const url = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`;
  await brand('--name', 'Acme', '--logo', logo, '--accent', '#112233');
  const origins = ['https://app.example.net', 'https://admin.example.net'];
  expect(await brand(...origins.flatMap((origin) => ['--origin', origin]), '--accent', 'none')).toEqual({
    id,
    brand: { name: 'Acme', logo: url },
    origins,
  });
  const { stdout } = await run(['workspaces', 'brand', id, ...data]);
  expect(stdout).toContain('image/svg+xml, 41 bytes');
  const link = await runJson<Link>(['domains', 'setup-link', 'shop.example.com', ...data]);
  expect(await openSession(link)).toMatchObject({ body: { data: { brand: { name: 'Acme', logo: url } } } });
  expect(await brand('--origin', 'none', '--name', 'none', '--logo', 'none')).toEqual({ id, brand: {}, origins: [] });
});

test.each([
  ['--accent', 'red'],
  ['--support', 'javascript:alert(1)'],
  ['--logo', 'logo.gif'],
  ['--logo', '/nowhere/logo.png'],
  ['--origin', 'https://app.example.net/path'],
])('%s %s is refused', async (flag, value) => {
  const [{ id }] = await runJson<[{ id: string }]>(['workspaces', 'list', ...data]);
  const { code, stderr } = await run(['workspaces', 'brand', id, flag, value, ...data]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(flag)]);
});

test('of a workspace that does not exist there is no brand', async () => {
  expect(await run(['workspaces', 'brand', 'ws_none', '--name', 'Acme', ...data])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ws_none'),
  });
});
