import { afterAll, expect, test } from 'vitest';
import { run, start, startPlayground, temporaryDirectory } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

const directory = temporaryDirectory();

afterAll(() => directory.remove());

test('domains watch shows each change, goes on after a restart of the server, and ends with 1 when the domain is deleted', async () => {
  const data = ['--data', directory.path];
  const before = await startPlayground(directory.path, ['--check-interval', '0.5']);
  await run(['domains', 'create', 'shop.example.com', ...data]);
  expect(await run(['domains', 'watch', 'nobody.example.com', ...data])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Not Found'),
  });
  const shown = start(['domains', 'watch', 'shop.example.com', ...data]);
  const lines = start(['domains', 'watch', 'shop.example.com', '--json', ...data]);
  await Promise.all([shown.says(/shop\.example\.com is verifying/), lines.says(/^\{.*"status":"verifying".*\}$/m)]);

  await before.stop();
  await shown.says(/is unreachable; trying again/);
  const port = new URL(before.ready.api).port;
  const after = await startPlayground(directory.path, ['--port', port, '--check-interval', '0.5']);
  await run(['dns', 'publish', 'shop.example.com', ...data]);
  await Promise.all([shown.says(/shop\.example\.com is verified/), lines.says(/^\{.*"status":"verified".*\}$/m)]);

  await run(['domains', 'delete', 'shop.example.com', ...data]);
  expect(await shown.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Not Found') });
  const { code, stdout } = await lines.ended;
  expect(code).toBe(1);
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(printed.at(-1)).toMatchObject({ error: { status: 404 } });
  // A state is printed once, also where the connection was lost.
  const states = printed.slice(0, -1).map((domain) => JSON.stringify(domain));
  expect(new Set(states).size).toBe(states.length);
  await after.stop();
});

test('domains watch fails at once without a server', async () => {
  const nobody = ['--url', `http://127.0.0.1:${await freePort()}`, '--key', 'np_x'];
  expect(await run(['domains', 'watch', 'shop.example.com', ...nobody])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No server is running'),
  });
});
