import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createVisitor } from '../../server/src/cli/move/edge-visit.ts';
import { closingAfterEach } from '../support/closing.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { listen } from '../support/listen.ts';

const closing = closingAfterEach();
const clock = { now: () => Date.now(), isTrusted: () => true };

async function startServer(response: string) {
  const { leaf, intermediate, key } = issueChain('shop.example.com');
  let connections = 0;
  const server = createServer({ cert: leaf + intermediate, key: keyPem(key) }, (socket) => {
    socket.on('error', () => {});
    socket.end(response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  return { at: { address: '127.0.0.1', port: await listen(closing, server) }, connections: () => connections };
}

test('what a server calls itself is cut, so that one of them does not fill the terminal; its redirect is not followed', async () => {
  const response = `HTTP/1.1 302 Found\r\nServer: ${'A'.repeat(3000)}\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n`;
  const { at, connections } = await startServer(response);
  const visit = await createVisitor({ mayDial: () => true, clock })('shop.example.com', at);
  expect(visit).toMatchObject({ status: 302, server: `${'A'.repeat(100)}…` });
  expect(connections()).toBe(1);
});

test('an address that may not be dialed is not connected to', async () => {
  const { at, connections } = await startServer('');
  const visit = await createVisitor({ mayDial: () => false, clock })('shop.example.com', at);
  expect(visit).toMatchObject({ status: null, server: null, issuer: null });
  expect(visit.problem).not.toBeNull();
  expect(connections()).toBe(0);
});
