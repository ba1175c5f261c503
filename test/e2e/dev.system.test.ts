import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlaygroundFile, readPlaygroundFile } from '../../server/src/cli/data-dir.ts';
import { migrate } from '../../server/src/store/engine/sqlite/sqlite.ts';
import {
  ANY_PORTS,
  run,
  runJson,
  start,
  startPlayground,
  startScript,
  startTyped,
  temporaryDirectory,
} from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

const directory = temporaryDirectory();
const data = directory.path;
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(data, ['--port', String(await freePort())]);
});

afterAll(async () => {
  await playground.stop();
  directory.remove();
});

describe.concurrent('a running playground', () => {
  test('takes every flag, and with --json prints one line with all addresses', async () => {
    const flags = ['--check-interval', '0.5', '--window', '60'];
    const started = start(['dev', '--data', `${data}/other`, ...ANY_PORTS, ...flags, '--json']);
    await started.says(/"ready"/);
    const { stdout, stderr, code } = await started.stop();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual({
      event: 'ready',
      api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      rootKey: expect.stringMatching(/^np_\w+$/),
      workspaceId: expect.stringMatching(/^ws_/),
      project: { id: expect.stringMatching(/^proj_/), slug: 'demo' },
      app: { id: expect.stringMatching(/^app_/), slug: 'web' },
      environment: { id: expect.stringMatching(/^env_/), slug: 'production' },
      dns: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      edge: {
        http: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        https: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        ca: `${data}/other/ca.pem`,
      },
      dashboard: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dashboard#npd_\w{39}$/),
      dnsPanel: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?zone=[\w.]+#\w+$/),
      setup: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/setup#nps_\w+$/),
    });
    expect(stderr).not.toContain('np_');
  });

  test('takes the service word from the environment', async () => {
    const other = start(['dev', '--data', `${data}/service`, ...ANY_PORTS, '--json'], {
      env: { NAMEPLATE_SERVICE: 'acme' },
    });
    await other.says(/ready/);
    const { stdout } = await run(['domains', 'create', 'shop.example.com', '--data', `${data}/service`]);
    expect(stdout).toContain('_acme.shop.example.com');
    expect(stdout).toContain('acme-domain-verify=');
    await other.stop();
  });

  test('rejects changes to its DNS without the root key', async () => {
    const { control } = (await readPlaygroundFile(data)) as PlaygroundFile;
    for (const headers of [{}, { authorization: 'Bearer np_wrong' }]) {
      const body = JSON.stringify({ name: 'a.example.com', type: 'A', values: ['127.0.0.1'] });
      const response = await fetch(`${control}/set`, { method: 'POST', headers, body });
      expect(response.status).toBe(401);
    }
  });

  test('has a page for its DNS, whose link is enough to change records', async () => {
    const { href, origin, hash } = new URL(playground.ready.dnsPanel);
    expect(await (await fetch(href)).text()).toContain('<title>Playground DNS</title>');
    const headers = { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'panel.example.com', type: 'TXT', value: 'typed' });
    expect((await fetch(`${origin}/addRecord`, { method: 'POST', headers, body })).status).toBe(200);
    const { stdout } = await run(['dns', 'list', '--data', data]);
    expect(stdout).toMatch(/panel\.example\.com +TXT +typed/);
  });

  test('has an example domain in an environment of its own, whose set-up link opens a session', async () => {
    const { api, setup = '' } = playground.ready;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ token: new URL(setup).hash.slice(1) });
    const response = await fetch(`${api}/v2/setup.openSession`, { method: 'POST', headers, body });
    const { data: session } = (await response.json()) as { data: { domain: { domain: string } } };
    expect(session.domain.domain).toBe('shop.customer.test');
    expect(await runJson(['domains', 'list', '--search', 'customer', '--data', data])).toEqual([]);
    const example = ['domains', 'list', '--environment', 'example', '--data', data];
    expect(await runJson(example)).toEqual([expect.objectContaining({ domain: 'shop.customer.test' })]);
  });

  test('serves its deployment', async () => {
    const { stdout } = await run(['deployments', 'list', '--data', data, '--json']);
    const [deployment] = JSON.parse(stdout);
    expect(await (await fetch(deployment.origin)).text()).toContain('Hello');
  });
});

describe('a second start', () => {
  test('on the same directory names the running one, and a command that works', async () => {
    const port = new URL(playground.ready.api).port;
    const second = await run(['dev', '--data', data, ...ANY_PORTS, '--port', port]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      new RegExp(
        `^nameplate: A playground is already running on ${data} \\(process \\d+\\), at ${playground.ready.api}\\..*\n$`,
      ),
    );
    expect(second.stderr).toMatch(new RegExp(` --data ${data}-\\w+( |\n)`));
    await worksAsPrinted(second.stderr);
    rmSync(/--data (\S+)/.exec(second.stderr)?.[1] ?? '', { recursive: true });
  });

  test('takes the next free port in place of a default one in use, and says so', async () => {
    const server = await holdPort(7070);
    const others = ANY_PORTS.slice(2);
    const second = start(['dev', '--data', `${data}/default-port`, ...others, '--json']);
    const [, port] = await second.says(/"api":"http:\/\/127\.0\.0\.1:(\d+)"/);
    const { code, stderr } = await second.stop();
    expect(code).toBe(0);
    expect(Number(port)).toBeGreaterThan(7070);
    expect(stderr).toContain(`nameplate: Port 7070 is in use by another program, so this uses ${port}.\n`);
    server.close();
  });

  test('on a port in use that was asked for offers the next free one', async () => {
    const port = await freePort();
    const server = await holdPort(port);
    const second = await run(['dev', '--data', `${data}/busy`, ...ANY_PORTS, '--port', `${port}`]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      new RegExp(`^nameplate: Port ${port} is in use by another program\\. .*--port \\d+ .*\n$`),
    );
    await worksAsPrinted(second.stderr);
    server.close();
  });
});

describe.concurrent('a start that fails', () => {
  test('with a database of a newer version: one line with advice, and no stack', async () => {
    await migrate(`${data}/newer/nameplate.db`);
    const db = new DatabaseSync(`${data}/newer/nameplate.db`);
    db.exec("insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00Z')");
    db.close();
    const { code, stderr } = await run(['dev', '--data', `${data}/newer`, ...ANY_PORTS]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nameplate: .*newer nameplate.*upgrade nameplate.*\n$/);
    const debug = await run(['dev', '--data', `${data}/newer`, ...ANY_PORTS], {
      env: { NAMEPLATE_LOG_LEVEL: 'debug' },
    });
    expect(debug.stderr).toMatch(/\n +at /);
  });

  test.each([
    ['dev', 'file/inside'],
    ['dev', 'file'],
    // Where the recursion of Node's own mkdir never ends.
    ['dev', '/proc/nameplate/data'],
    ['demo', '/proc/nameplate/data'],
    ['dev', '/proc'],
    ['demo', '/proc'],
  ])('%s with %s, which cannot be written: one line with advice', async (command, name) => {
    writeFileSync(`${data}/file`, '');
    const dataDir = resolve(data, name);
    const { code, stdout, stderr } = await run([command, '--data', dataDir, ...(command === 'dev' ? ANY_PORTS : [])]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^nameplate: cannot write to .* \(E[A-Z]+\): .* or name another with --data\n$/);
    expect(stderr).toContain(dataDir);
  });

  test('with invalid saved DNS records keeps their file', async () => {
    mkdirSync(`${data}/broken`);
    writeFileSync(`${data}/broken/dns.json`, '{"records":[');
    const { code, stderr } = await run(['dev', '--data', `${data}/broken`, ...ANY_PORTS]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nameplate: .*dns\.json.*Move the file away.*\n$/);
    expect(readdirSync(`${data}/broken`)).toContain('dns.json');
  });
});

describe('a restart', () => {
  test('keeps the links of the set-up page and of the DNS panel, and makes a new one after the set-up link is revoked', async () => {
    const where = ['--data', `${data}/links`];
    const port = ['--port', String(await freePort())];
    const first = await startPlayground(`${data}/links`, port);
    await first.stop();
    const second = await startPlayground(`${data}/links`, port);
    expect(second.ready.setup).toBe(first.ready.setup);
    expect(second.ready.dnsPanel).toBe(first.ready.dnsPanel);
    const [link] = await runJson<{ id: string }[]>(['domains', 'setup-links', 'shop.customer.test', ...where]);
    await run(['domains', 'revoke-setup-link', link?.id ?? '', ...where]);
    await second.stop();
    const third = await startPlayground(`${data}/links`, port);
    expect(third.ready.setup).toMatch(/#nps_/);
    expect(third.ready.setup).not.toBe(first.ready.setup);
    await third.stop();
  });

  test('begins a new window for an example domain that nobody has verified', async () => {
    const example = ['domains', 'get', 'shop.customer.test', '--data', `${data}/late`];
    const first = await startPlayground(`${data}/late`, ['--check-interval', '0.2', '--window', '0.5']);
    await expect.poll(() => runJson(example), { timeout: 20_000 }).toMatchObject({ status: 'failed' });
    await first.stop();
    const second = await startPlayground(`${data}/late`, ['--check-interval', '0.2']);
    await expect.poll(() => runJson(example), { timeout: 20_000 }).toMatchObject({ status: 'verifying' });
    await second.stop();
  });

  test('of a playground whose workspace may have no more domains works, without an example', async () => {
    const where = ['--data', `${data}/full`];
    const first = await startPlayground(`${data}/full`);
    await run(['workspaces', 'limits', first.ready.workspaceId, '--domains', '0', ...where]);
    await run(['domains', 'delete', 'shop.customer.test', ...where]);
    await first.stop();
    const { ready, stop } = await startPlayground(`${data}/full`);
    expect(ready).not.toHaveProperty('setup');
    await stop();
  });
});

describe('a stop', () => {
  test('SIGTERM ends it, with requests and checks in flight that never end', async () => {
    const busy = await startPlayground(`${data}/stop`);
    const socket = await halfARequest(busy.ready.api);
    await run(['domains', 'create', 'slow.example.com', '--data', `${data}/stop`]);
    await run(['dns', 'fail', 'slow.example.com', 'timeout', '--data', `${data}/stop`]);
    await run(['domains', 'verify', 'slow.example.com', '--data', `${data}/stop`]);
    const { code, signal, stderr } = await busy.stop();
    expect(signal).toBe(null);
    // A machine that is too busy for a clean stop gets the other one.
    if (code !== 0) expect(stderr).toContain('stopped after 4.5 s without waiting for unfinished work');
    socket.destroy();
  });

  test('SIGTERM reaches it through npm start', async () => {
    const script = startScript('start', ['--data', `${data}/npm`, ...ANY_PORTS]);
    await script.says(/Ctrl-C stops it/);
    expect(await script.stop()).toMatchObject({ code: 0, signal: null, stdout: expect.stringContaining('Stopping…') });
  });

  test('a second signal ends it at once', async () => {
    const busy = await startPlayground(`${data}/twice`);
    const socket = await halfARequest(busy.ready.api);
    const again = setInterval(() => busy.child.kill('SIGTERM'), 100);
    expect(await busy.stop()).toMatchObject({ code: 143 });
    clearInterval(again);
    socket.destroy();
  });

  test('after a kill, commands name the command that starts it again on the same directory', async () => {
    const killed = await startPlayground(`${data}/killed`);
    killed.child.kill('SIGKILL');
    await killed.ended;
    for (const args of [['projects', 'list'], ['dns', 'list'], ['doctor']]) {
      const { stdout, stderr } = await run([...args, '--data', `${data}/killed`]);
      expect(stdout + stderr).toContain(`"./bin/nameplate dev --data ${data}/killed"`);
    }
  });

  test('a request in flight gets its response', async () => {
    const busy = await startPlayground(`${data}/answer`);
    const socket = await halfARequest(busy.ready.api);
    const answered = once(socket, 'data');
    busy.child.kill('SIGTERM');
    // No new connections: it has begun to stop.
    await refused(busy.ready.api);
    socket.write('}');
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 401 /);
    expect(await busy.ended).toMatchObject({ code: 0 });
  });
});

/** Types the command at the end of a message, and sees the playground that it starts. */
async function worksAsPrinted(message: string): Promise<void> {
  const command = /\.\/bin\/nameplate dev .*$/m.exec(message)?.[0];
  expect(command).toBeDefined();
  const started = startTyped(`${command} --json`);
  await started.says(/"event":"ready"/);
  await started.stop();
}

/** Listens at a port of loopback, unless another program keeps it, which serves as well. */
async function holdPort(port: number): Promise<Server> {
  for (let triesLeft = 200; ; triesLeft -= 1) {
    const server = createServer().listen(port, '127.0.0.1');
    const isHeld = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isHeld || triesLeft === 0) return server;
    await setTimeout(50);
  }
}

/** A connection on which the last character of a request is still to come. */
async function halfARequest(api: string): Promise<Socket> {
  const socket = connect(Number(new URL(api).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  // Its interim response says that the server has the request.
  socket.write(
    'POST /v2/domains.getDomain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
  );
  await once(socket, 'data');
  socket.write('{');
  return socket;
}

async function refused(api: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(api).port), '127.0.0.1');
    const outcome = await Promise.race([
      once(socket, 'connect').then(() => 'open'),
      once(socket, 'close').then(() => 'refused'),
    ]).catch(() => 'refused');
    socket.destroy();
    if (outcome === 'refused') return;
  }
}
