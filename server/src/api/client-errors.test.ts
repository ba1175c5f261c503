import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createLog } from '../base/log.ts';
import { handleClientErrors } from './client-errors.ts';

const read: RequestListener = (request, response) => request.resume().on('end', () => response.end());

/** A server that checks its time limits often, and a connection to it. */
async function startServer(timeoutMs: number, handle = read) {
  const limits = { requestTimeout: timeoutMs, headersTimeout: timeoutMs, connectionsCheckingInterval: 10 };
  const server = createServer(limits, handle);
  const settings = { service: 'service', docsUrl: 'https://docs.acme.test' };
  handleClientErrors(server, { newId: () => 'req_1', log: createLog('silent'), settings });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  return { server, socket };
}

describe('a complete request gets its own response', () => {
  const SLOW = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
  const statuses = (heard: string) => heard.match(/HTTP\/1\.1 \d{3}|<slow>/g);

  /**
   * A server that responds to the slow request when the test says so, after another request has failed to arrive in
   * time.
   */
  async function untilTimeout() {
    const { promise: slow, resolve } = Promise.withResolvers<ServerResponse>();
    const executed: (string | undefined)[] = [];
    const { server, socket } = await startServer(60_000, (request, response) => {
      executed.push(request.url);
      if (request.url === '/slow') resolve(response);
      else response.end();
    });
    socket.write(`${SLOW}GET / HTTP/1.1\r\nHost:`);
    const response = await slow;
    server.headersTimeout = 20;
    await once(server, 'clientError');
    return { server, socket, executed, answer: () => response.end('<slow>') };
  }

  it('before the request behind it gets 408', async () => {
    const { server, socket, answer } = await untilTimeout();
    answer();
    expect(statuses(await text(socket))).toEqual(['HTTP/1.1 200', '<slow>', 'HTTP/1.1 408']);
    server.close();
  });

  it('and the one behind it is not executed when it becomes complete after its time limit', async () => {
    const { server, socket, answer, executed } = await untilTimeout();
    socket.write(' a\r\n\r\n');
    await once(server, 'request');
    answer();
    expect(statuses(await text(socket))).toEqual(['HTTP/1.1 200', '<slow>', 'HTTP/1.1 408']);
    expect(executed).toEqual(['/slow']);
    server.close();
  });
});

it('a request that is responded to before its body cannot be read gets no second response', async () => {
  const { server, socket } = await startServer(60_000, (_, response) => response.end('early'));
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  const [early] = await once(socket, 'data');
  socket.write('no chunk\r\n');
  expect((String(early) + (await text(socket))).match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
  server.close();
});

it.each([
  ['header', 'POST /v2/domains.getDomain HTTP/1.1\r\nHost:'],
  ['body', 'POST /v2/domains.getDomain HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{'],
])('a request whose %s does not become complete in time is answered with 408 in the envelope', async (_part, bytes) => {
  const { server, socket } = await startServer(20);
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(head).toContain('Content-Type: application/json; charset=utf-8');
  expect(head).toContain('X-Request-Id: req_1');
  expect(JSON.parse(body)).toEqual({
    meta: { requestId: 'req_1' },
    error: {
      title: 'Request Timeout',
      detail: 'The request did not arrive in time.',
      status: 408,
      type: 'https://docs.acme.test/errors/service/request/timeout',
    },
  });
  server.close();
});
