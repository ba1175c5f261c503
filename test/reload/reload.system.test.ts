import { once } from 'node:events';
import { request as requestHttps } from 'node:https';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { ROOT } from '../edge/authority.ts';
import { overHttps } from '../edge/harness.ts';
import { NEXT_VERSION } from '../nodes/next/program.ts';
import { closingAfterEach } from '../support/closing.ts';
import { accepts, isRunning, kill, portOf, type ReloadableServer, startReloadable, threads } from './reloading.ts';
import { sendVisitors } from './visitors.ts';

// Each with real processes: a server, its successors, and the command that asks for them.

// Each starts a server several times.
vi.setConfig({ testTimeout: 180_000 });
const closing = closingAfterEach();
const CHANGES_SCHEMA = 'it changes the schema';
const visit = ({ httpsPort: port, hostname }: ReloadableServer, path = '/') => overHttps({ port, hostname, path });

test('two reloads in turn refuse and cut no request, over HTTP/1.1, HTTP/2 and new handshakes', async () => {
  const server = await startReloadable(closing, { env: threads(2) });
  const visitors = sendVisitors(closing, server);
  await visitors.progress(10);
  for (let i = 0; i < 2; i += 1) {
    const { code, stdout, stderr } = await server.reload();
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Reloaded\. Process \d+ serves; process \d+ drains\.\n$/),
      stderr: '',
    });
    await visitors.progress(10);
  }
  const { failures, responses } = await visitors.stop();
  expect(failures).toEqual([]);
  for (const count of Object.values(responses)) expect(count).toBeGreaterThan(25);
  expect(new Set(await server.pids(3)).size).toBe(3);
});

test('a reload may change the number of threads: no socket is left without one', async () => {
  const server = await startReloadable(closing, { env: threads(3) });
  const visitors = sendVisitors(closing, server);
  for (const count of [1, 2]) {
    expect(await server.reload(threads(count))).toMatchObject({ code: 0 });
    await visitors.progress(20);
  }
  expect((await visitors.stop()).failures).toEqual([]);
});

test('a successor that cannot start changes nothing, and the command says why', async () => {
  const server = await startReloadable(closing);
  for (const port of [portOf(server.api), server.httpsPort]) {
    const other = createServer().listen(port, '127.0.0.2');
    await once(other, 'listening');
    closing.push(() => other.close());
  }
  const visitors = sendVisitors(closing, server);
  const refusals: [why: string, changes: Record<string, string>, says: RegExp][] = [
    [
      'its configuration is broken',
      { NAMEPLATE_API_THREADS: 'many' },
      /ended with exit code 1 before it was ready\. The configuration has a problem:\n +NAMEPLATE_API_THREADS is "many"/,
    ],
    [
      'another program has its port',
      { NAMEPLATE_LISTEN: `127.0.0.1:${server.originPort}` },
      /127\.0\.0\.1:\d+ is in use by another program/,
    ],
    [
      'another listener of the running server has its port',
      { NAMEPLATE_LISTEN: `127.0.0.1:${server.httpPort}` },
      /127\.0\.0\.1:\d+ is in use by the running server, for its listener "http"\. Reload with another port there first/,
    ],
    [
      'another program has its port at an address that a wider one includes',
      { NAMEPLATE_LISTEN: `0.0.0.0:${portOf(server.api)}` },
      /0\.0\.0\.0:\d+ is in use by another program/,
    ],
    [
      'the same of the edge, whose threads listen',
      { NAMEPLATE_EDGE_HTTPS_LISTEN: `0.0.0.0:${server.httpsPort}` },
      /0\.0\.0\.0:\d+ is in use by another program/,
    ],
    [CHANGES_SCHEMA, {}, /changes the schema .*\(9000-next\).*Restart the server instead/],
  ];
  for (const [why, changes, says] of refusals) {
    const { code, stderr } = await server.reload(changes, why === CHANGES_SCHEMA ? NEXT_VERSION : undefined);
    expect({ why, code, stderr }).toEqual({ why, code: 1, stderr: expect.stringMatching(says) });
    expect(stderr).toMatch(/\nThe running server goes on\.\n$/);
    await visitors.progress(10);
  }
  expect((await visitors.stop()).failures).toEqual([]);
  expect(await server.pids(1)).toEqual([server.first.child.pid]);
});

test("SIGHUP reloads as the command does; roles that only one process may run are the successor's, once the process before has given them up", async () => {
  const server = await startReloadable(closing);
  const owner = () => {
    const db = new DatabaseSync(`${server.path}.verifier.lock`, { readOnly: true, timeout: 5000 });
    try {
      return db.prepare('select pid from owner').get()?.pid;
    } finally {
      db.close();
    }
  };
  expect(owner()).toBe(server.first.child.pid);
  server.first.child.kill('SIGHUP');
  await server.first.says(/"msg":"reloaded: a successor serves"/);
  const [, successor] = await server.pids(2);
  while (owner() !== successor) await new Promise((resolve) => setTimeout(resolve, 10));
  expect((await visit(server)).status).toBe(200);
});

test('a download goes on while the process that serves it drains, and the process ends with it', async () => {
  let finish = () => {};
  const server = await startReloadable(closing, {
    onRequest(request, response) {
      response.write('begun, ');
      if (request.url === '/download') finish = () => response.end('ended');
      else response.end('served');
    },
  });
  const { hostname, httpsPort: port } = server;
  const about = { host: '127.0.0.1', port, servername: hostname, headers: { host: hostname }, ca: ROOT, agent: false };
  const download = requestHttps({ ...about, path: '/download' }).end();
  const [response] = await once(download, 'response');
  await once(response, 'data');
  await server.reload();
  expect((await visit(server)).text).toBe('begun, served');
  finish();
  const [rest] = await once(response, 'data');
  expect(String(rest)).toBe('ended');
  await server.first.says(/"msg":"drained/);
});

test('`kill -9` of the process that drains ends only its own connections', async () => {
  const server = await startReloadable(closing, {
    onRequest(request, response) {
      response.write('begun');
      if (request.url !== '/download') response.end();
    },
  });
  const { hostname, httpsPort: port } = server;
  const about = { host: '127.0.0.1', port, servername: hostname, headers: { host: hostname }, ca: ROOT, agent: false };
  const download = requestHttps({ ...about, path: '/download' }).end();
  const [response] = await once(download, 'response');
  const cut = new Promise((resolve) => response.on('error', () => {}).once('close', resolve));
  await server.reload();
  const visitors = sendVisitors(closing, server);
  await visitors.progress(5);
  server.first.child.kill('SIGKILL');
  await cut;
  await visitors.progress(20);
  expect((await visitors.stop()).failures).toEqual([]);
  // It can be reloaded again.
  expect(await server.reload()).toMatchObject({ code: 0 });
  expect((await visit(server)).status).toBe(200);
});

test('where no service manager accepts another process, the first one stays, passes signals on, and ends as the last one does', async () => {
  const server = await startReloadable(closing);
  for (let i = 0; i < 2; i += 1) expect(await server.reload()).toMatchObject({ code: 0 });
  const [first = 0, second = 0, third = 0] = await server.pids(3);
  while (isRunning(second)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect([first, third].map(isRunning)).toEqual([true, true]);
  const { code } = await server.first.stop();
  expect(code).toBe(0);
  expect(isRunning(third)).toBe(false);
});

test('the first process ends with 1 when the one that serves is killed', async () => {
  const server = await startReloadable(closing);
  await server.reload();
  const [, second = 0] = await server.pids(2);
  kill(second, 'SIGKILL');
  expect((await server.first.ended).code).toBe(1);
});

test('after a plain stop, requests in flight end, and no new one is accepted', async () => {
  let finish = () => {};
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const server = await startReloadable(closing, {
    onRequest(_, response) {
      finish = () => response.end('late');
      begin();
    },
  });
  const asking = visit(server);
  await begun;
  const stopped = server.first.stop();
  await server.first.says(/"msg":"stopping"/);
  for (const port of [server.httpPort, server.httpsPort, Number(new URL(server.api).port)]) {
    while (await accepts(port)) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  finish();
  expect(await asking).toMatchObject({ status: 200, text: 'late', headers: { connection: 'close' } });
  expect((await stopped).code).toBe(0);
});
