import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import type { TlsVersion } from '../../server/src/domain/site-settings.ts';
import {
  createTlsContextCache,
  type TlsContext,
  type TlsContextCache,
} from '../../server/src/edge/tls/tls-contexts.ts';
import type { ServedCertificate } from '../../server/src/store/store.ts';
import { issue, ROOT } from './authority.ts';

const SECRET = new Uint8Array(32);

const siteOf = (
  hostname: string,
  certificate: Omit<ServedCertificate, 'inherited'>,
  domainId = 'dom_1',
  minTlsVersion: TlsVersion = '1.2',
) => ({
  hostname,
  domainId,
  certificate: { ...certificate, inherited: false },
  minTlsVersion,
});

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => void close()));

const trusting = createSecureContext({ ca: ROOT });

/** Both ends of a TLS connection for a name, its handshake not waited for. */
async function connection(
  contexts: TlsContextCache,
  hostname: string,
  certificate: Omit<ServedCertificate, 'inherited'>,
) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: '127.0.0.1', servername: hostname, secureContext: trusting });
  const [raw] = (await once(server, 'connection')) as [Socket];
  closing.push(
    () => client.destroy(),
    () => raw.destroy(),
    () => server.close(),
  );
  contexts.get(siteOf(hostname, certificate), SECRET).emit('connection', raw);
  return client;
}

/** Every connection says back what it is told, in capitals. */
function capitals(capacity: number): TlsContextCache {
  return createTlsContextCache(capacity, (_, socket) => {
    socket.on('data', (chunk: Buffer) => void socket.write(chunk.toString().toUpperCase()));
  });
}

async function ask(socket: TLSSocket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

test('a connection outlives its context, even during the handshake', async () => {
  const contexts = capitals(1);
  const [a, b] = ['a.example.com', 'b.example.com'] as const;
  const first = await connection(contexts, a, issue(a));
  await once(first, 'secureConnect');
  const second = await connection(contexts, b, issue(b));
  const third = await connection(contexts, a, issue(a));
  await Promise.all([once(second, 'secureConnect'), once(third, 'secureConnect')]);
  expect(contexts.size()).toBe(1);
  for (const socket of [first, second, third]) expect(await ask(socket, 'hello')).toBe('HELLO');
});

test('the least recently used context is evicted', () => {
  const contexts = capitals(2);
  const of = (hostname: string) => contexts.get(siteOf(hostname, certificate), SECRET);
  const certificate = issue('a.example.com');
  const [a, b] = [of('a'), of('b')];
  expect([of('a'), of('c') !== b, of('a'), of('b') !== b]).toEqual([a, true, a, true]);
  expect(contexts.size()).toBe(2);
});

test('a context is used for one certificate, one domain and one ticket secret', () => {
  const contexts = capitals(10);
  const [one, other] = [issue('a.example.com'), issue('a.example.com')];
  const first = contexts.get(siteOf('a.example.com', one), SECRET);
  expect(contexts.get(siteOf('a.example.com', one), SECRET)).toBe(first);
  // Read from the store again: equal, but another object.
  expect(contexts.get(siteOf('a.example.com', { ...one, chain: Buffer.from(one.chain).toString() }), SECRET)).toBe(
    first,
  );
  expect(contexts.get(siteOf('a.example.com', one, 'dom_2'), SECRET)).not.toBe(first);
  const renewed = contexts.get(siteOf('a.example.com', other), SECRET);
  expect(renewed).not.toBe(first);
  expect(contexts.get(siteOf('a.example.com', other), new Uint8Array(32))).not.toBe(renewed);
  expect(contexts.size()).toBe(1);
});

test('the OpenSSL context is freed on eviction and not before; fails when a Node release removes _sharedCreds', () => {
  const contexts = capitals(1);
  const certificate = issue('a.example.com');
  const dropped = contexts.get(siteOf('a.example.com', certificate), SECRET);
  expect(heldBy(dropped)).toBeInstanceOf(Buffer);
  const kept = contexts.get(siteOf('b.example.com', certificate), SECRET);
  expect([heldBy(dropped), heldBy(kept)]).toEqual([null, expect.any(Buffer)]);
});

/** The certificate that OpenSSL has for a context. */
function heldBy(context: TlsContext): Buffer | null {
  return context._sharedCreds?.context.getCertificate();
}
