import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import type { Measured, Serving } from '../../edge/edge-process.ts';
import { inventedHello } from '../../support/client-hello.ts';

const MB = 1024 * 1024;
let child: ChildProcess;

async function start(names: number): Promise<Serving> {
  child = fork(join(import.meta.dirname, '../../edge/edge-process.ts'), [String(names)]);
  const [serving] = (await once(child, 'message')) as [Serving];
  return serving;
}

afterEach(async () => {
  const ended = once(child, 'exit');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});

async function measure(): Promise<Measured> {
  const answered = once(child, 'message');
  child.send('measure');
  const [measured] = (await answered) as [Measured];
  return measured;
}

const counted = ({ metrics }: Measured, line: string) =>
  Number(
    metrics
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length) ?? 0,
  );

const at = (port: number) => ({ port, host: '127.0.0.1' });

function opener({ httpsPort, root }: Serving) {
  const secureContext = createSecureContext({ ca: root });
  return async (servername: string, number: number): Promise<TLSSocket> => {
    const from = { localAddress: `127.0.0.${2 + (number % 200)}` };
    const socket = connect({ socket: connectTcp({ ...from, ...at(httpsPort) }), servername, secureContext });
    await once(socket, 'secureConnect');
    return socket;
  };
}

async function ask(socket: TLSSocket, host: string): Promise<string> {
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return String((await once(socket, 'data'))[0]);
}

async function inTurns(count: number, atOnce: number, doOne: (number: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, i) => doOne(from + i)));
  }
}

test('10,000 idle connections are held, others are served meanwhile, and the next 10,000 take no more memory', async () => {
  const serving = await start(1);
  const [hostname = ''] = serving.hostnames;
  const open = opener(serving);
  const before = await measure();
  const during: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const idle: TLSSocket[] = [];
    await inTurns(10_000, 50, async (i) => {
      const socket = await open(hostname, i);
      socket.on('error', () => {});
      if (i % 2 === 0) await ask(socket, hostname);
      idle.push(socket);
    });
    const held = await measure();
    during.push(held.rssBytes - before.rssBytes);
    expect(counted(held, 'nameplate_edge_open{what="connections"}')).toBeGreaterThanOrEqual(10_000);
    for (let i = 0; i < 100; i += 1) {
      const socket = await open(hostname, i);
      expect(await ask(socket, hostname)).toContain('served');
      socket.destroy();
    }
    expect(idle.every(({ destroyed }) => !destroyed)).toBe(true);
    for (const socket of idle) socket.destroy();
    while (counted(await measure(), 'nameplate_edge_open{what="connections"}') > 0) await delay(50);
  }
  console.log(JSON.stringify({ before: before.rssBytes, during, kbEach: (during[0] ?? 0) / 10_240_000 }));
  expect(during[0]).toBeLessThan(10_000 * 100 * 1024);
  expect((during[1] ?? 0) - (during[0] ?? 0)).toBeLessThan(250 * MB);
});

test('100,000 handshakes for invented names cost no memory, and few reads of the store', async () => {
  const serving = await start(1);
  const flood = (count: number, from: number) =>
    inTurns(count, 50, async (i) => {
      const socket = connectTcp({
        port: serving.httpsPort,
        host: '127.0.0.1',
        localAddress: `127.0.0.${2 + (i % 20)}`,
      });
      socket.on('error', () => {}).resume();
      socket.write(inventedHello(from + i));
      await once(socket, 'close');
    });
  // By then Node has taken what memory it takes when busy.
  await flood(60_000, 0);
  const before = await measure();
  await flood(100_000, 60_000);
  const after = await measure();
  const lookups = counted(after, 'nameplate_edge_lookups_total{kind="site"}');
  console.log(JSON.stringify({ beforeMb: before.rssBytes / MB, afterMb: after.rssBytes / MB, lookups }));
  expect(after.rssBytes - before.rssBytes).toBeLessThan(40 * MB);
  expect(counted(after, 'nameplate_edge_open{what="tls_contexts"}')).toBe(0);
  expect(counted(after, 'nameplate_edge_handshakes_total{outcome="refused"}')).toBeGreaterThan(80_000);
});

test('10,000 names are served with bounded memory', async () => {
  const serving = await start(10_000);
  const open = opener(serving);
  const before = await measure();
  const taken: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    await inTurns(serving.hostnames.length, 20, async (i) => {
      const hostname = serving.hostnames[i] ?? '';
      const socket = await open(hostname, i);
      expect(await ask(socket, hostname)).toContain('served');
      socket.destroy();
    });
    const after = await measure();
    taken.push(after.rssBytes - before.rssBytes);
    expect(counted(after, 'nameplate_edge_open{what="tls_contexts"}')).toBeLessThanOrEqual(2000);
  }
  console.log(JSON.stringify({ before: before.rssBytes, taken }));
  expect(Math.max(...taken)).toBeLessThan(600 * MB);
});
