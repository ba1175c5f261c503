import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { overHttps } from '../edge/harness.ts';
import { closingAfterEach } from '../support/closing.ts';
import { temporaryDirectory } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { startReloadable } from './reloading.ts';
import { startHolding } from './socket-holder.ts';

// Programs of the test do systemd's work for a service.

// Each starts a server several times.
vi.setConfig({ testTimeout: 180_000 });
const closing = closingAfterEach();

/** A command of this name that writes down what it is told, and the PATH that finds it first. */
function fakeNotify(): { path: string; told(): string[] } {
  const directory = temporaryDirectory();
  closing.push(directory.remove);
  const bin = join(directory.path, 'bin');
  const log = join(directory.path, 'told');
  mkdirSync(bin);
  writeFileSync(log, '');
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$*" >> ${log}\n`, { mode: 0o755 });
  return {
    path: `${bin}:${process.env.PATH}`,
    told: () => readFileSync(log, 'utf8').trimEnd().split('\n'),
  };
}

test('the server notifies systemd when it is ready, which process is the main one, and when it stops; the first process ends once it has drained', async () => {
  const { path, told } = fakeNotify();
  const server = await startReloadable(closing, { env: { NOTIFY_SOCKET: '/run/systemd/notify', PATH: path } });
  while (told()[0] !== 'READY=1') await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await server.reload()).toMatchObject({ code: 0 });
  const [, second = 0] = await server.pids(2);
  expect(told()).toEqual(['READY=1', `MAINPID=${second}`]);
  await server.first.says(/"msg":"drained"/);
  process.kill(second, 'SIGTERM');
  await server.first.ended;
  expect(told().at(-1)).toBe('STOPPING=1');
});

test('systemd learns of the end of a process that serves while the one before it drains', async () => {
  const { path, told } = fakeNotify();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const env = { NOTIFY_SOCKET: '/run/systemd/notify', PATH: path };
  const server = await startReloadable(closing, { env, onRequest: () => begin() });
  const asking = overHttps({ port: server.httpsPort, hostname: server.hostname }).catch(() => 'cut');
  await begun;
  await server.reload();
  const [first, second = 0] = await server.pids(2);
  process.kill(second, 'SIGKILL');
  expect(await asking).toBe('cut');
  expect((await server.first.ended).code).toBe(1);
  expect(told().at(-1)).toBe(`MAINPID=${first}`);
});

test('on sockets that systemd holds, a restart refuses no connection: they wait for the next process', async () => {
  const [port, api] = [await freePort(), await freePort()];
  const holder = await startHolding(closing, { https: port, api });
  const server = await startReloadable(closing, {
    env: { NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`, NAMEPLATE_LISTEN: `127.0.0.1:${api}` },
    launch: holder.launch,
  });
  const liveness = async () => (await fetch(`http://127.0.0.1:${api}/v2/liveness`)).status;
  expect(await liveness()).toBe(200);
  const [first = 0] = await server.pids(1);
  process.kill(first, 'SIGTERM');
  await server.first.says(/"msg":"stopped"/);
  // Nobody serves now.
  expect(await liveness()).toBe(200);
  const [, second = 0] = await server.pids(2);
  expect(second).not.toBe(first);
  expect(await server.reload()).toMatchObject({ code: 0 });
  expect(await liveness()).toBe(200);
});
