import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { handleClientErrors } from './client-errors.ts';

/** A server that waits for requests for as short a time as Node allows. */
async function impatientServer() {
  const server = createServer(
    { requestTimeout: 20, headersTimeout: 20, connectionsCheckingInterval: 10 },
    (request, response) => request.resume().on('end', () => response.end()),
  );
  const settings = { service: 'service', docsUrl: 'https://docs.acme.test' };
  handleClientErrors(server, { newId: () => 'req_1', log: createLog('silent'), settings });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

it.each([
  ['header', 'POST /v2/domains.getDomain HTTP/1.1\r\nHost:'],
  ['body', 'POST /v2/domains.getDomain HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{'],
])('a request whose %s does not become complete in time is answered with 408 in the envelope', async (_part, bytes) => {
  const server = await impatientServer();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
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
