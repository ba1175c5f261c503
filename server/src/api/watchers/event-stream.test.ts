import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type EventStream, eventStream } from './event-stream.ts';

// Real connections; the monotonic clock is ours.

/** More than the system buffers for a client that does not read. */
const LARGE = '.'.repeat(32 * 1024 * 1024);
const TIMES = { heartbeatMs: 15_000, stalledMs: 30_000 };

let now: number;
let response: ServerResponse;
let client: IncomingMessage;
let stream: EventStream;
let stop: () => void;
beforeEach(async () => {
  now = 0;
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const sent = request({ port, host: '127.0.0.1', agent: false }).end();
  const answered = once(sent, 'response');
  [, response] = await asked;
  response.on('error', () => {});
  response.writeHead(200).flushHeaders();
  [client] = await answered;
  client.on('error', () => {});
  stream = eventStream(response, TIMES, () => now);
  stop = () => {
    sent.destroy();
    server.close();
  };
});
afterEach(() => stop());

async function readAll(): Promise<string> {
  let text = '';
  client.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => client.once('close', resolve));
  return text;
}

it('a client that reads slowly gets what was in flight, and then the newest text alone', async () => {
  stream.send(LARGE);
  for (let i = 0; i < 1000; i += 1) stream.send(`text ${i}\n`);
  // Nothing but the first text waits for the client.
  expect(response.writableLength).toBeLessThan(LARGE.length + 100);
  const reading = readAll();
  const end = vi.waitUntil(() => response.writableLength === 0, { timeout: 20_000 }).then(() => stream.end('end\n'));
  const text = await reading;
  await end;
  expect(text.replaceAll('.', '')).toBe('text 999\nend\n');
});

it('a client that reads nothing is disconnected after the time that it may take', async () => {
  stream.send(LARGE);
  now = TIMES.stalledMs - 1;
  expect(stream.tick()).toBe(false);
  expect(response.destroyed).toBe(false);
  now = TIMES.stalledMs;
  expect(stream.tick()).toBe(true);
  await once(response, 'close');
});

it('and so is one that does not read the end', async () => {
  stream.send(LARGE);
  now = 1000;
  stream.end('end\n');
  now = TIMES.stalledMs;
  expect(stream.tick()).toBe(true);
  await once(response, 'close');
});

it('a comment is sent when nothing was sent for the length of a heartbeat, and not otherwise', async () => {
  const chunks: string[] = [];
  client.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
  const received = (count: number) => vi.waitUntil(() => chunks.length === count);
  stream.send('first\n\n');
  await received(1);
  now = TIMES.heartbeatMs - 1;
  stream.tick();
  stream.send('second\n\n');
  await received(2);
  now += TIMES.heartbeatMs - 1;
  stream.tick();
  now += 1;
  stream.tick();
  await received(3);
  expect(chunks).toEqual(['first\n\n', 'second\n\n', ': heartbeat\n\n']);
});
