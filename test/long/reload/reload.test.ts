import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ROOT } from '../../edge/authority.ts';
import { type ReloadableServer, startReloadable, threads } from '../../reload/reloading.ts';
import { sendVisitors } from '../../reload/visitors.ts';
import { closingAfterEach } from '../../support/closing.ts';

const closing = closingAfterEach();
const RELOADS = Number(process.env.RELOADS ?? 200);
const KILLS = Number(process.env.RELOAD_KILLS ?? 20);
const TRANSFER_MS = Number(process.env.TRANSFER_MS ?? 60_000);
const PIECE = 'x'.repeat(10_000);
const PIECES = 60;

test(`${RELOADS} reloads in turn, with one to four threads of a kind, refuse and cut no request`, async () => {
  const server = await startReloadable(closing, { env: threads(2) });
  const visitors = sendVisitors(closing, server);
  for (let i = 0; i < RELOADS; i += 1) {
    await visitors.progress(5);
    expect(await server.reload(threads(1 + (i % 4)))).toMatchObject({ code: 0, stderr: '' });
  }
  await visitors.progress(5);
  const { failures, responses } = await visitors.stop();
  console.log(JSON.stringify({ reloads: RELOADS, responses, failures: failures.length }));
  expect(failures).toEqual([]);
});

test(`5 reloads under uploads and downloads of ${TRANSFER_MS / 1000} s cut none of them`, async () => {
  const server = await startReloadable(closing, {
    env: { ...threads(2), NAMEPLATE_DRAIN_SECONDS: '90' },
    async onRequest(request, response) {
      if (request.url === '/upload') {
        let bytes = 0;
        for await (const chunk of request) bytes += chunk.length;
        response.end(String(bytes));
        return;
      }
      if (request.url === '/download') await slowly((piece) => void response.write(piece));
      response.end();
    },
  });
  const visitors = sendVisitors(closing, server);
  const transfers: Promise<number>[] = [];
  for (let i = 0; i < 5; i += 1) {
    transfers.push(upload(server), download(server));
    await visitors.progress(5);
    expect(await server.reload()).toMatchObject({ code: 0, stderr: '' });
  }
  expect(await Promise.all(transfers)).toEqual(transfers.map(() => PIECE.length * PIECES));
  expect((await visitors.stop()).failures).toEqual([]);
});

test(`\`kill -9\` of the process that drains, after each of ${KILLS} reloads, costs nobody else anything`, async () => {
  const server = await startReloadable(closing, { env: threads(2) });
  const visitors = sendVisitors(closing, server);
  for (let i = 1; i <= KILLS; i += 1) {
    expect(await server.reload()).toMatchObject({ code: 0, stderr: '' });
    const before = (await server.pids(i + 1))[i - 1] ?? 0;
    // Its own connections are those that it still has; the visitors have left it by their next request.
    await visitors.progress(20);
    try {
      process.kill(before, 'SIGKILL');
    } catch {
      // It has drained already.
    }
    await visitors.progress(5);
  }
  expect((await visitors.stop()).failures).toEqual([]);
});

async function slowly(send: (piece: string) => void): Promise<void> {
  for (let i = 0; i < PIECES; i += 1) {
    send(PIECE);
    await delay(TRANSFER_MS / PIECES);
  }
}

function begin({ hostname, httpsPort: port }: ReloadableServer, path: string, method: string) {
  const about = { host: '127.0.0.1', port, servername: hostname, headers: { host: hostname }, ca: ROOT, agent: false };
  const request = requestHttps({ ...about, path, method });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  return { request, response };
}

/** Resolves with the bytes that have arrived at the origin. */
async function upload(server: ReloadableServer): Promise<number> {
  const { request, response } = begin(server, '/upload', 'POST');
  response.catch(() => {});
  await slowly((piece) => void request.write(piece));
  request.end();
  let text = '';
  for await (const chunk of await response) text += chunk;
  return Number(text);
}

async function download(server: ReloadableServer): Promise<number> {
  const { request, response } = begin(server, '/download', 'GET');
  request.end();
  let bytes = 0;
  for await (const chunk of await response) bytes += chunk.length;
  return bytes;
}
