import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANY_PORTS, run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Started;

beforeAll(async () => {
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
  for (const name of ['shop.example.com', 'www.shop.example.com']) {
    await run(['domains', 'create', name, ...data]);
    await run(['dns', 'publish', name, ...data]);
    await run(['domains', 'wait', name, '--certificate', ...data]);
  }
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

const redirect = (...args: string[]) => run(['domains', 'redirect', ...args, ...data]);

test('a redirect is set, shown, listed among the events and removed from the command line', async () => {
  const www = 'www.shop.example.com';
  expect((await redirect(www)).stdout).toBe(`${www} does not redirect.\n`);
  expect((await redirect(www, '--to', 'shop.example.com', '--status', '301')).stdout).toBe(
    `${www} redirects to shop.example.com (301).\n`,
  );
  expect(await runJson(['domains', 'redirect', www, ...data])).toMatchObject({
    domain: www,
    redirect: { to: 'shop.example.com', status: 301 },
  });
  expect((await redirect(www, '--remove')).stdout).toBe(`${www} does not redirect.\n`);
  const { stdout } = await run(['domains', 'events', www, '--limit', '2', ...data]);
  expect(stdout).toMatch(/redirect\.set by key_.*\n +It redirects to shop\.example\.com \(301\)\./);
  expect(stdout).toMatch(/redirect\.removed by key_.*\n +It no longer redirects to shop\.example\.com\./);
});

test('the command line says what is in the way, and refuses options that contradict each other', async () => {
  const www = 'www.shop.example.com';
  const refused = await redirect(www, '--to', www);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('must be another domain')]);
  for (const options of [
    ['--status', '301'],
    ['--remove', '--to', 'shop.example.com'],
    ['--to', www, '--status', '302'],
  ])
    expect((await redirect(www, ...options)).code).toBe(2);
});
