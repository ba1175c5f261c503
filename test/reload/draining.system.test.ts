import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { overHttps } from '../edge/harness.ts';
import { closingAfterEach } from '../support/closing.ts';
import { freePort } from '../support/free-port.ts';
import { isRunning, type ReloadableServer, startReloadable } from './reloading.ts';

// Tests the time between a reload and the end of the process before, which still serves connections of its own.

// Each starts a server several times.
vi.setConfig({ testTimeout: 180_000 });
const closing = closingAfterEach();

const API = 'api.example.net';
const LIST = '/v2/projects.listProjects';
const WRONG_KEY = { authorization: 'Bearer nonsense', 'content-type': 'application/json' };

test("the API's own name: a client counts by its own address, at the edge that drains and at the new one", async () => {
  const port = await freePort();
  const held: ServerResponse[] = [];
  const server = await startReloadable(closing, {
    env: {
      NAMEPLATE_API_HOSTNAME: API,
      NAMEPLATE_LISTEN: `127.0.0.1:${port}`,
      NAMEPLATE_API_THREADS: '1',
      NAMEPLATE_EDGE_TRUSTED_PROXIES: '127.0.0.1/32',
    },
    onRequest(_, response) {
      response.write('begun');
      held.push(response);
    },
  });
  const [failed, other] = ['127.0.0.7', '127.0.0.8'];
  const before = [await openVisitor(server, failed), await openVisitor(server, other)];
  const hasDrained = await draining(server.api);
  expect(await server.reload()).toMatchObject({ code: 0 });
  await hasDrained();
  // From the first one edges connect to the API.
  for (const address of ['127.0.0.1', failed]) await failUntilRefused(server.api, address);

  const after = [await openVisitor(server, failed), await openVisitor(server, other)];
  const failures = [...before, ...after].map(({ fail }) => fail());
  for (const response of held) response.end();
  // Where the edge drains, the response is the last one of its connection.
  expect(await Promise.all(failures)).toEqual([
    { status: 429, isLast: true },
    { status: 401, isLast: true },
    { status: 429, isLast: false },
    { status: 401, isLast: false },
  ]);
});

test('reloads and a stop while the first process drains: each process answers health checks in turn, and requests in flight end', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<ServerResponse>();
  const server = await startReloadable(closing, {
    env: { NAMEPLATE_EDGE_HEALTH_LISTEN: '127.0.0.1:0' },
    onRequest: (_, response) => begin(response),
  });
  const asking = overHttps({ port: server.httpsPort, hostname: server.hostname });
  const held = await begun;
  const probes = [server.api, server.health].map((url) => probe(`${url}/readyz`));
  for (let i = 1; i <= 2; i += 1) {
    server.first.child.kill('SIGHUP');
    await server.first.says(new RegExp(`(?:"msg":"reloaded: a successor serves"[^]*){${i}}`));
    await Promise.all(probes.map(({ progress }) => progress()));
  }
  const answers = await Promise.all(probes.map(({ stop }) => stop()));
  expect(answers).toEqual([new Set([200]), new Set([200])]);
  const [first = 0, second = 0, third = 0] = await server.pids(3);

  server.first.child.kill('SIGTERM');
  for (const pid of [second, third]) while (isRunning(pid)) await delay(10);
  expect(isRunning(first)).toBe(true);
  held.end('late');
  expect(await asking).toMatchObject({ status: 200, text: 'late' });
  expect((await server.first.ended).code).toBe(0);
});

/** Asks for this on new connections, again and again. */
function probe(url: string) {
  const seen = new Set<number | string>();
  let count = 0;
  let isStopped = false;
  const probing = (async () => {
    while (!isStopped) {
      const asked = ask(url, { agent: false }).then(({ status }) => status);
      seen.add(await asked.catch((error: Error) => error.message));
      count += 1;
      // The machine has the successor to start as well.
      await delay(20);
    }
  })();
  closing.push(() => {
    isStopped = true;
  });
  return {
    /** Resolves after some more answers. */
    async progress() {
      for (const end = count + 10; count < end; ) await delay(10);
    },
    /** Resolves with the statuses and errors that there were. */
    async stop() {
      isStopped = true;
      await probing;
      return seen;
    },
  };
}

/**
 * A connection of a proxy in front, for the client with this address. Its first request is in flight, so that the
 * connection outlasts a reload.
 */
async function openVisitor({ hostname, httpPort: port }: ReloadableServer, address: string) {
  const socket = connect({ port, host: '127.0.0.1' });
  closing.push(() => socket.destroy());
  const forwarded = `X-Forwarded-For: ${address}\r\nX-Forwarded-Proto: https\r\n`;
  let received = '';
  socket.setEncoding('latin1').write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n${forwarded}\r\n`);
  while (!received.includes('begun')) received += await once(socket, 'data');
  return {
    /**
     * Sends another request, to the API with a wrong key. Resolves with the status of its response, and whether that is
     * the last one.
     */
    async fail() {
      const key = 'Authorization: Bearer nonsense\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
      socket.write(`POST ${LIST} HTTP/1.1\r\nHost: ${API}\r\n${forwarded}${key}\r\n{}`);
      for await (const text of socket) {
        received += text;
        const head = /^HTTP\/1\.1 200 .*^HTTP\/1\.1 (\d+) (.*?)\r\n\r\n/ms.exec(received);
        if (head !== null) return { status: Number(head[1]), isLast: /^connection: close\r?$/im.test(head[2] ?? '') };
      }
      throw new Error('The connection was closed without a response.');
    },
  };
}

/**
 * Opens a connection to the process that serves. The function that it returns resolves once that process accepts no
 * more.
 */
async function draining(api: string): Promise<() => Promise<void>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  closing.push(() => agent.destroy());
  await ask(`${api}/v2/liveness`, { agent });
  return async () => {
    let isOpen = true;
    while (isOpen) {
      const { headers, reused } = await ask(`${api}/v2/liveness`, { agent });
      isOpen = reused && headers.connection !== 'close';
    }
  };
}

/** Fails from this address until a process, the only one that accepts, looks at nothing more. */
async function failUntilRefused(api: string, localAddress: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const about = { agent, localAddress, method: 'POST', headers: WRONG_KEY };
  let status = 401;
  while (status === 401) ({ status } = await ask(api + LIST, about, '{}'));
  agent.destroy();
  expect(status).toBe(429);
}

async function ask(url: string, about: RequestOptions, body = '') {
  const sent = request(url, about).end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  await once(sent, 'close');
  return { status: response?.statusCode ?? 0, headers: response?.headers ?? {}, reused: sent.reusedSocket };
}
