import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runJson, startPlayground, temporaryDirectory } from '../support/command.ts';

const NAME = 'shop.example.com';
const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '0.5']);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

interface Shown {
  live?: { state: string; addresses: { address: string }[]; from: string };
}

test('a site that the edge serves is live within seconds of its certificate, in commands, lists and the timeline', async () => {
  await run(['domains', 'create', NAME, ...data]);
  await run(['dns', 'publish', NAME, ...data]);
  await run(['domains', 'wait', NAME, '--certificate', '--timeout', '60s', ...data]);
  const seen = () => runJson<Shown>(['domains', 'get', NAME, ...data]);
  await expect.poll(async () => (await seen()).live?.state, { timeout: 60_000, interval: 500 }).toBe('live');
  expect((await seen()).live).toMatchObject({ addresses: [{ address: '127.0.0.1' }], from: 'nameplate' });
  expect((await run(['domains', 'get', NAME, ...data])).stdout).toMatch(
    /Seen from nameplate at .*: live\.\n\n +Address/,
  );
  expect((await run(['domains', 'list', ...data])).stdout).toMatch(/Seen\n.*live/);
  const events = await runJson<{ type: string }[]>(['domains', 'events', NAME, ...data]);
  expect(events.filter(({ type }) => type.startsWith('site.')).map(({ type }) => type)).toEqual(['site.live']);
});
