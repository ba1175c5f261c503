import { afterAll, expect, test } from 'vitest';
import type { ShownDomain } from '../../server/src/cli/output/show-domain.ts';
import { run, start, startPlayground, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();

afterAll(() => directory.remove());

test.concurrent('a domain whose window ends fails: exit code 3, the reason, and advice; verify starts a new window', async () => {
  const data = ['--data', `${directory.path}/short`];
  const playground = await startPlayground(`${directory.path}/short`, ['--check-interval', '0.5', '--window', '3']);
  await run(['domains', 'create', 'late.example.com', ...data]);
  await run(['dns', 'set', 'late.example.com', 'CNAME', 'elsewhere.example.net', ...data]);
  const { code, stdout, stderr } = await run(['domains', 'wait', 'late.example.com', ...data]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
  expect(stdout).toContain('change the CNAME record');
  expect(stdout).toMatch(/late\.example\.com is failed\./);
  expect(stdout).toMatch(/Next: \.\/bin\/nameplate domains verify late\.example\.com --data/);

  await run(['dns', 'publish', 'late.example.com', ...data]);
  expect(await run(['domains', 'verify', 'late.example.com', ...data])).toMatchObject({ code: 0 });
  expect(await run(['domains', 'wait', 'late.example.com', ...data])).toMatchObject({ code: 0 });
  const again = await run(['domains', 'verify', 'late.example.com', ...data]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Precondition Failed') });
  await playground.stop();
});

test.concurrent('a timeout is exit code 3; waiting continues after a restart of the server', async () => {
  const data = ['--data', `${directory.path}/long`];
  const before = await startPlayground(`${directory.path}/long`, ['--check-interval', '0.5']);
  await run(['domains', 'create', 'patient.example.com', ...data]);
  const impatient = await run(['domains', 'wait', 'patient.example.com', '--timeout', '0.1', '--json', ...data]);
  expect(impatient.code).toBe(3);
  const domain = JSON.parse(impatient.stdout) as ShownDomain;
  expect(domain).toMatchObject({
    domain: 'patient.example.com',
    dnsRecords: [{ verified: false }, { verified: false }],
  });

  const waiting = start(['domains', 'wait', 'patient.example.com', ...data]);
  await waiting.says(/patient\.example\.com is verifying: .* left\./);
  await before.stop();
  await waiting.says(/is unreachable; trying again/);
  const port = new URL(before.ready.api).port;
  const after = await startPlayground(`${directory.path}/long`, ['--port', port]);
  await run(['dns', 'publish', 'patient.example.com', ...data]);
  await run(['domains', 'verify', 'patient.example.com', ...data]);
  expect(await waiting.ended).toMatchObject({ code: 0 });
  await after.stop();
});
