import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { freePort } from '../support/free-port.ts';
import { type ReloadableServer, startReloadable } from './reloading.ts';

// What is true between a reload and the end of the process before, which still serves connections of its own.

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

/** A connection of a proxy in front, for the client with this address. Its first request is in flight, so that the connection outlasts a reload. */
async function openVisitor({ hostname, httpPort: port }: ReloadableServer, address: string) {
  const socket = connect({ port, host: '127.0.0.1' });
  closing.push(() => socket.destroy());
  const forwarded = `X-Forwarded-For: ${address}\r\nX-Forwarded-Proto: https\r\n`;
  let received = '';
  socket.setEncoding('latin1').write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n${forwarded}\r\n`);
  while (!received.includes('begun')) received += await once(socket, 'data');
  return {
    /** Sends another request, to the API with a wrong key. Resolves with the status of its response, and whether that is the last one. */
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

/** Opens a connection to the process that serves. The function that it returns resolves once that process accepts no more. */
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
