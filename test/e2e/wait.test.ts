import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Domain } from '../../src/cli/domain.ts';
import { run, start, startPlayground, temporaryDirectory } from './program.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '0.5', '--window', '4']);
});

afterAll(async () => {
  await playground.stop();
  directory.remove();
});

test('a domain whose window ends is failed: exit code 3, the reason, and what to do', async () => {
  await run(['domains', 'create', 'late.example.com', ...data]);
  await run(['dns', 'set', 'late.example.com', 'CNAME', 'elsewhere.example.net', ...data]);
  const { code, stdout, stderr } = await run(['domains', 'wait', 'late.example.com', ...data]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
  expect(stdout).toMatch(/late\.example\.com is verifying: .* left\./);
  expect(stdout).toContain('it must be a CNAME to');
  expect(stdout).toMatch(/late\.example\.com is failed\./);
  expect(stdout).toMatch(/Next: \.\/bin\/nameplate domains verify late\.example\.com --data/);
});

test('after the records are corrected, verify begins a new window that ends in verified', async () => {
  await run(['dns', 'publish', 'late.example.com', ...data]);
  expect(await run(['domains', 'verify', 'late.example.com', ...data])).toMatchObject({ code: 0 });
  expect(await run(['domains', 'wait', 'late.example.com', ...data])).toMatchObject({ code: 0 });
  const again = await run(['domains', 'verify', 'late.example.com', ...data]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Precondition Failed') });
});

test('a time that runs out is exit code 3, and --json prints the domain as it stood', async () => {
  await run(['domains', 'create', 'slow.example.com', ...data]);
  const { code, stdout } = await run(['domains', 'wait', 'slow.example.com', '--timeout', '0.1', '--json', ...data]);
  expect(code).toBe(3);
  const domain = JSON.parse(stdout) as Domain;
  expect(domain).toMatchObject({ domain: 'slow.example.com', dnsRecords: [{ verified: false }, { verified: false }] });
});

test('waiting outlives a restart of the server', async () => {
  const port = new URL(playground.ready.api).port;
  await run(['domains', 'create', 'patient.example.com', ...data]);
  const waiting = start(['domains', 'wait', 'patient.example.com', ...data]);
  await waiting.says(/patient\.example\.com is/);
  await playground.stop();
  await waiting.says(/cannot be reached at the moment/);
  playground = await startPlayground(directory.path, ['--port', port, '--check-interval', '0.5']);
  await run(['dns', 'publish', 'patient.example.com', ...data]);
  await run(['domains', 'verify', 'patient.example.com', ...data]);
  expect(await waiting.ended).toMatchObject({ code: 0 });
});
