import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runJson, start, startPlayground, temporaryDirectory } from '../support/command.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';

/** Where DNS leads before the switch. */
const OLD = '127.0.0.2';
const NAME = 'store.customer.test';
/** Beside them there is the example domain of the playground, which was not moved. */
const OTHER = 'blog.customer.test';
const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;
let old: Server;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '0.5']);
  const chain = issueChain(NAME);
  old = createServer({ key: keyPem(chain.key), cert: chain.leaf + chain.intermediate }, (_, response) => {
    // A hostile header, as far as HTTP allows one.
    response.writeHead(203, { server: 'old\u009b31mserver' }).end();
  });
  await new Promise<void>((resolve) => old.listen(Number(playground.ready.edge.https.split(':')[1]), OLD, resolve));
  for (const name of [NAME, OTHER]) {
    await run(['domains', 'create', name, '--metadata', 'moved_from=caddy', ...data]);
    await run(['dns', 'publish', name, ...data]);
    await run(['domains', 'wait', name, '--certificate', '--timeout', '60s', ...data]);
    // The certificate stays in use while DNS leads to the old server again.
    await run(['dns', 'set', name, 'CNAME', 'old.provider.test', ...data]);
  }
  await run(['dns', 'set', 'old.provider.test', 'A', OLD, ...data]);
});
afterAll(async () => {
  old.close();
  await playground.stop();
  directory.remove();
});

interface Visit {
  address: string;
  status?: number;
  issuer?: string;
  problem?: string;
}
interface Checked {
  edge: Visit[];
  now: Visit[];
  reason?: string;
}
const move = (...args: string[]) => run(['move', ...args, ...data]);

test('the edge is asked with the name while DNS leads elsewhere, and beside it the old server; what that sends controls no terminal', async () => {
  const checked = await runJson<Checked>(['move', 'check', NAME, ...data]);
  const ca = new X509Certificate(readFileSync(join(playground.ready.edge.ca)));
  expect(checked).not.toHaveProperty('reason');
  expect(checked.edge).toMatchObject([{ address: '127.0.0.1' }]);
  expect(checked.edge[0]).not.toHaveProperty('problem');
  expect(ca.subject).toContain(checked.edge[0]?.issuer?.split(' ').at(-1) ?? 'none');
  expect(checked.now).toMatchObject([{ address: OLD, status: 203, problem: 'certificate_untrusted' }]);
  const shown = await move('check', NAME);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain(`${NAME} is ready to switch.`);
  expect(shown.stdout).toContain('old\\u{9b}31mserver');
});

test('a name that the edge does not serve fails the check with its own reason and exit code 3, alone and among all', async () => {
  await run(['domains', 'create', 'new.customer.test', ...data]);
  const one = await move('check', 'new.customer.test');
  expect(one.code).toBe(3);
  expect(one.stdout).toMatch(/new\.customer\.test is not ready to switch: /);
  const all = await move('check', '--all');
  expect(all.code).toBe(3);
  expect(all.stdout).toMatch(/new\.customer\.test .*tls failed/);
  expect(all.stdout).toContain('serves 2 of 4 names.');
  const moved = await runJson<object>(['move', 'check', '--all', '--from', 'caddy', ...data]);
  expect(moved).toEqual({ checked: 2, served: 2, failed: [] });
  expect((await move('check', 'none.customer.test')).code).toBe(1);
  for (const args of [[], [NAME, '--all'], [NAME, '--edge', 'edge.example.com']])
    expect((await move('check', ...args)).code, args.join(' ')).toBe(2);
  await run(['domains', 'delete', 'new.customer.test', ...data]);
});

test('names arrive at the switch and leave on the way back, each said once', async () => {
  const watching = start(['move', 'watch', '--from', 'caddy', '--until', 'all', '--every', '1s', ...data]);
  await watching.says(/^0 of 2 arrived$/m);
  await run(['dns', 'set', 'old.provider.test', 'A', '127.0.0.1', ...data]);
  const arrived = await watching.ended;
  expect(arrived).toMatchObject({ code: 0, stderr: '' });
  for (const name of [NAME, OTHER]) expect(arrived.stdout.match(new RegExp(`${name} arrived`, 'g'))).toHaveLength(1);
  expect(arrived.stdout).toMatch(/2 of 2 arrived\n$/);

  const back = start(['move', 'watch', '--from', 'caddy', '--until', 'none', '--every', '1s', '--json', ...data]);
  await back.says(/"after":"here"\}\n.*"after":"here"/);
  await run(['dns', 'set', 'old.provider.test', 'A', OLD, ...data]);
  const { code, stdout } = await back.ended;
  expect(code).toBe(0);
  const left = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { domain: string; before?: string; after: string });
  expect(
    left
      .filter(({ before }) => before === 'here')
      .map(({ domain, after }) => [domain, after])
      .toSorted(),
  ).toEqual([
    [OTHER, 'elsewhere'],
    [NAME, 'elsewhere'],
  ]);
  const late = await run([
    'move',
    'watch',
    '--from',
    'caddy',
    '--until',
    'all',
    '--timeout',
    '1s',
    '--every',
    '1s',
    ...data,
  ]);
  expect(late.code).toBe(3);
});

test('Ctrl-C ends the watch at once, as done', async () => {
  const watching = start(['move', 'watch', '--from', 'caddy', '--every', '1h', ...data]);
  await watching.says(/^0 of 2 arrived$/m);
  watching.child.kill('SIGINT');
  expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
});
