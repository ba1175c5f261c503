import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import type { AddressPolicy } from '../../server/src/certificates/policy/address-rule.ts';
import { checkedRouting } from '../../server/src/certificates/preflight/routing-blocker.ts';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { createServerCertificate } from '../../server/src/certificates/x509/x509-certificate.ts';
import { recursiveResolver } from '../../server/src/dns/recursive.ts';
import { type DnsClient, dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createSelfChecker, type SelfCheckOptions } from '../../server/src/verification/observation/self-check.ts';

const HOST = 'shop.example.com';

const HAS_IPV6 = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'));

let dns: Simulator;
let client: DnsClient;
let closing: (() => unknown)[];
/** Challenge responses, by host and path. */
let challenges: Map<string, string>;
/** Host and path of each request to the edge. */
let asked: string[];
/** The edge's HTTP port. */
let port: number;

beforeEach(async () => {
  dns = await startSimulator({ port: 0 });
  client = dnsClient();
  closing = [() => dns.close(), () => client.close()];
  challenges = new Map();
  asked = [];
  port = await serve('127.0.0.1', edge);
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

const edge: RequestListener = (request, response) => {
  const what = `${request.headers.host?.replace(/:\d+$/, '')}${request.url}`;
  asked.push(what);
  const answer = challenges.get(what);
  response.writeHead(answer === undefined ? 404 : 200).end(answer);
};

async function listening(server: Server, host: string, at: number): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => open.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(at, host, resolve));
  closing.push(() => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const serve = (host: string, listener: RequestListener, at = 0) => listening(createServer(listener), host, at);

async function check(
  { policy = 'any', ...options }: Partial<SelfCheckOptions> & { policy?: AddressPolicy } = {},
  signal = new AbortController().signal,
) {
  const checker = createSelfChecker({
    store: {
      async putChallenge({ hostname, token, keyAuthorization }) {
        challenges.set(`${hostname}/.well-known/acme-challenge/${token}`, keyAuthorization);
      },
    },
    resolver: recursiveResolver({ client, resolvers: [{ address: dns.address, port: dns.port }] }),
    mayDial: addressRule(['127.0.0.0/8']),
    clock: systemClock,
    ports: { http: port, https: 443 },
    ...options,
  });
  return checkedRouting(HOST, await checker(HOST, signal), policy);
}

async function reasonOf(options: Parameters<typeof check>[0] = {}) {
  const { blocker, selfCheck } = await check(options);
  return { reason: blocker?.reason, answers: selfCheck?.answers };
}

describe('a name is ours', () => {
  test('when each of its addresses returns our challenge response', async () => {
    await serve('127.0.0.2', edge, port);
    dns.set(HOST, 'CNAME', ['t1.cname.test']);
    dns.set('t1.cname.test', 'A', ['127.0.0.1', '127.0.0.2']);
    const { blocker, selfCheck } = await check();
    expect(blocker).toBe(null);
    expect(selfCheck?.answers).toEqual([
      { address: '127.0.0.1', outcome: 'ours', seen: null },
      { address: '127.0.0.2', outcome: 'ours', seen: null },
    ]);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^shop\.example\.com\/\.well-known\/acme-challenge\/np-[\w-]{32}$/);
  });

  test('by a new challenge each time', async () => {
    dns.set(HOST, 'A', ['127.0.0.1']);
    await check();
    await check();
    expect(new Set(asked).size).toBe(2);
  });

  test('when there is no route to another of its addresses', async () => {
    dns.set(HOST, 'A', ['127.0.0.1']);
    // There is no route to a multicast address.
    dns.set(HOST, 'AAAA', ['ff0e::1']);
    const { blocker, selfCheck } = await check({ mayDial: () => true });
    expect(blocker).toBe(null);
    expect(selfCheck?.answers[1]).toMatchObject({ address: 'ff0e::1', outcome: 'unreachable' });
    dns.remove(HOST, 'A');
    expect(await reasonOf({ mayDial: () => true })).toMatchObject({ reason: 'unreachable' });
  });
});

/** Returns challenge responses for any host, like a host to which customers redirect. */
const answerer: RequestListener = ({ url = '' }, response) => {
  const answer = [...challenges].find(([what]) => what.endsWith(url));
  response.writeHead(answer === undefined ? 404 : 200).end(answer?.[1]);
};

/** Redirects to the same path at another origin. */
const redirecting =
  (origin: string, status = 301): RequestListener =>
  ({ url = '' }, response) =>
    response.writeHead(status, { location: `${origin}${url}` }).end();

describe('redirects are followed', () => {
  beforeEach(() => {
    dns.set(HOST, 'A', ['127.0.0.2']);
    dns.set('hop.example.com', 'A', ['127.0.0.3']);
  });

  test.each([301, 302, 303, 307, 308])('with status %i', async (status) => {
    await serve('127.0.0.2', redirecting('http://hop.example.com', status), port);
    await serve('127.0.0.3', answerer, port);
    expect(await reasonOf()).toMatchObject({ reason: undefined, answers: [{ address: '127.0.0.2', outcome: 'ours' }] });
  });

  test('to https, whatever certificate is there', async () => {
    const key = readPrivateKey(newPrivateKey());
    const signer = { name: 'nobody', privateKey: key };
    const cert = certificatePem(
      createServerCertificate({ hostname: 'other.test', key }, { signer, notBefore: 0, notAfter: 1 }),
    );
    const pem = key.export({ type: 'pkcs8', format: 'pem' });
    const https = await listening(createSecureServer({ key: pem, cert }, answerer), '127.0.0.3', 0);
    await serve('127.0.0.2', redirecting('https://hop.example.com'), port);
    expect(await reasonOf({ ports: { http: port, https } })).toMatchObject({ reason: undefined });
  });

  test('ten times, and not an eleventh', async () => {
    let left = 10;
    await serve(
      '127.0.0.2',
      (request, response) => (left-- > 0 ? redirecting('')(request, response) : answerer(request, response)),
      port,
    );
    expect(await reasonOf()).toMatchObject({ reason: undefined });
    left = 11;
    expect(await reasonOf()).toMatchObject({
      reason: 'answered_by_another',
      answers: [{ seen: 'it redirects more than 10 times' }],
    });
  });

  test.each([
    'http://hop.example.com:81',
    'https://hop.example.com:8443',
    'ftp://hop.example.com',
    'javascript:alert(1)//',
    'http://[',
  ])('but not to %s', async (origin) => {
    await serve('127.0.0.2', redirecting(origin), port);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('answered_by_another');
    expect(answers?.[0]?.seen).toMatch(/^it redirects to ".*", where no certificate authority follows$/);
  });

  test.each([
    ['by address', 'http://169.254.169.254'],
    ['by an address in disguise', 'http://0xa9fea9fe'],
    ['by an IPv6 address', 'http://[::ffff:169.254.169.254]'],
    ['by a name', 'http://metadata.example.com'],
  ])('and never to a special address, %s', async (_, origin) => {
    dns.set('metadata.example.com', 'A', ['169.254.169.254']);
    await serve('127.0.0.2', redirecting(origin), port);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('answered_by_another');
    expect(answers?.[0]?.seen).toMatch(
      /^it redirects to ".*": .*(169\.254\.169\.254|a9fe:a9fe).*(is not a public address|public addresses only)/,
    );
  });

  test('to where nothing answers, which the message names', async () => {
    await serve('127.0.0.2', redirecting('http://hop.example.com'), port);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('answered_by_another');
    expect(answers?.[0]?.seen).toMatch(
      /^it redirects to "http:\/\/hop\.example\.com\/.*": 127\.0\.0\.3:\d+ refused the connection$/,
    );
  });
});

describe('when the name redirects to another host, the customer sees', () => {
  beforeEach(async () => {
    dns.set(HOST, 'A', ['127.0.0.2']);
    dns.set('hop.example.com', 'A', ['127.0.0.3']);
    await serve('127.0.0.2', redirecting('http://hop.example.com'), port);
  });

  test.each<[string, RequestListener, RegExp]>([
    ['the status and the host', (_, response) => response.end('secret'), /^HTTP 200 from "hop\.example\.com"$/],
    [
      'not where it redirects to, which no CA follows',
      redirecting('ftp://secret'),
      /^it redirects to "hop\.example\.com", and from there, where no certificate authority follows$/,
    ],
    [
      'the next host, where nobody answers there',
      redirecting('http://nobody.example.com/secret'),
      /^it redirects to "nobody\.example\.com": "nobody\.example\.com" has no address$/,
    ],
  ])('%s', async (_, answer, seen) => {
    await serve('127.0.0.3', answer, port);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('answered_by_another');
    expect(answers?.[0]?.seen).toMatch(seen);
    expect(JSON.stringify(await check())).not.toContain('secret');
  });
});

describe('a name is not ours', () => {
  test('when it has no address', async () => {
    expect(await check()).toEqual({ selfCheck: null, blocker: { reason: 'no_address', chain: [] }, tolerated: [] });
    dns.set(HOST, 'CNAME', ['gone.test']);
    expect(await check()).toMatchObject({ blocker: { reason: 'no_address', chain: ['gone.test'] } });
  });

  test('when its addresses cannot be read', async () => {
    dns.fail(HOST, 'servfail');
    expect(await check()).toMatchObject({
      selfCheck: null,
      blocker: { reason: 'dns_unreadable', record: 'address', name: HOST, seen: { reason: 'servfail' } },
    });
    expect(challenges.size).toBe(0);
  });

  test.each([
    ['private', 'A', '10.0.0.1'],
    ['of cloud metadata', 'A', '169.254.169.254'],
    ['mapped', 'AAAA', '::ffff:169.254.169.254'],
    ['translated', 'AAAA', '64:ff9b::a9fe:a9fe'],
    ['loopback', 'AAAA', '::1'],
  ])('when one of its addresses is special (%s), which is not connected to', async (_, type, address) => {
    dns.set(HOST, 'A', ['127.0.0.1']);
    dns.set(HOST, type, type === 'A' ? ['127.0.0.1', address] : [address]);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('address_not_public');
    expect(answers).toContainEqual({ address: '127.0.0.1', outcome: 'ours', seen: null });
    expect(answers).toContainEqual(expect.objectContaining({ outcome: 'not_public', seen: null }));
  });

  test('when one of its addresses does not answer, and every one has to', async () => {
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2']);
    expect(await reasonOf({ policy: 'all' })).toEqual({
      reason: 'unreachable',
      answers: [
        { address: '127.0.0.1', outcome: 'ours', seen: null },
        { address: '127.0.0.2', outcome: 'unreachable', seen: `127.0.0.2:${port} refused the connection` },
      ],
    });
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      'does not know the challenge',
      (_, response) => response.writeHead(404).end('<h1>Not "here"</h1>'),
      /^HTTP 404, "<h1>Not \\"here\\"<\/h1>"$/,
    ],
    ['answers everything with success', (_, response) => response.end('parked'), /^HTTP 200, "parked"$/],
    [
      'answers with more than the challenge',
      (request, response) => response.end(`${challenges.get(`${HOST}${request.url}`)}x`),
      /^HTTP 200, "np-/,
    ],
    [
      'has the answer and calls it an error',
      (request, response) => response.writeHead(500).end(challenges.get(`${HOST}${request.url}`)),
      /^HTTP 500/,
    ],
    [
      'sends what is hostile',
      (_, response) => response.end(Buffer.from('\u202e\0\r\n\xff')),
      /^HTTP 200, "\\u\{202e\}\\u\{0\}\\u\{d\}\\u\{a\}/,
    ],
    [
      'sends without an end',
      (_, response) => {
        response.on('drain', () => response.write('x'.repeat(65_536))).write('x'.repeat(1_000_000));
      },
      /^HTTP 200, "x{100}…"$/,
    ],
  ])('when another server answers that %s', async (_, listener, seen) => {
    await serve('127.0.0.2', listener, port);
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2']);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('answered_by_another');
    expect(answers?.[1]).toMatchObject({ address: '127.0.0.2', outcome: 'another', seen: expect.stringMatching(seen) });
  });

  test.each([
    ['says nothing', () => {}, 'it did not answer within 0.2 s'],
    [
      'speaks another language',
      (socket: Socket) => void socket.end('220 mail.example.com ESMTP\r\n'),
      'it accepts connections, but its response is not HTTP',
    ],
    [
      'sends headers without an end',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
      'it accepts connections, but its response is not HTTP',
    ],
    ['hangs up', (socket: Socket) => void socket.destroy(), 'it accepts connections, but its response is not HTTP'],
    [
      'sends a body too slowly',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nx'),
      'it did not answer within 0.2 s',
    ],
  ])('when another server listens that %s', async (_, greet, seen) => {
    await listening(createTcpServer(greet), '127.0.0.2', port);
    dns.set(HOST, 'A', ['127.0.0.2']);
    expect(await reasonOf({ timeoutMs: 200 })).toEqual({
      reason: 'unreachable',
      answers: [{ address: '127.0.0.2', outcome: 'unreachable', seen }],
    });
  });
});

/** Ends when a client asks: what a server does that has taken the connection. */
const onRequest = (answer: (socket: Socket) => void) =>
  createTcpServer((socket) => void socket.once('data', () => answer(socket)));

describe('of several addresses', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['refuses connections', async () => {}],
    ['takes connections and says nothing', () => listening(createTcpServer(), '127.0.0.2', port)],
    [
      'closes connections without a word',
      () =>
        listening(
          onRequest((socket) => socket.destroy()),
          '127.0.0.2',
          port,
        ),
    ],
  ])('one that %s is tolerated, is told of, and is not with NAMEPLATE_ACME_MULTI_ADDRESS=all', async (_, start) => {
    await start();
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2']);
    const { blocker, selfCheck, tolerated } = await check({ timeoutMs: 300 });
    expect([blocker, tolerated]).toEqual([null, ['127.0.0.2']]);
    expect(selfCheck?.answers.map(({ address, outcome }) => [address, outcome])).toEqual([
      ['127.0.0.1', 'ours'],
      ['127.0.0.2', 'unreachable'],
    ]);
    const strict = await check({ timeoutMs: 300, policy: 'all' });
    expect([strict.blocker?.reason, strict.tolerated]).toEqual(['unreachable', []]);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['another language', (socket) => void socket.end('220 mail.example.com ESMTP\r\n')],
    [
      'half a response, and then nothing',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nx'),
    ],
    ['half a response, and hangs up', (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-')],
  ])('one that answers with %s is never tolerated', async (_, answer) => {
    await listening(onRequest(answer), '127.0.0.2', port);
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2']);
    expect(await reasonOf({ timeoutMs: 300 })).toMatchObject({ reason: 'unreachable' });
  });

  test('one that redirects to where nobody answers in time is never tolerated', async () => {
    await serve('127.0.0.2', redirecting('http://hop.example.com'), port);
    await listening(createTcpServer(), '127.0.0.3', port);
    dns.set('hop.example.com', 'A', ['127.0.0.3']);
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2']);
    const { reason, answers } = await reasonOf({ timeoutMs: 300 });
    expect(reason).toBe('answered_by_another');
    expect(answers?.[1]?.seen).toMatch(
      /^it redirects to "http:\/\/hop\.example\.com\/.*": it did not answer within 0\.3 s$/,
    );
  });

  test('one where another server answers is never tolerated, beside one that does not answer', async () => {
    await serve('127.0.0.2', (_, response) => response.end('parked'), port);
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
    expect(await reasonOf()).toMatchObject({ reason: 'answered_by_another' });
  });

  test('addresses that do not answer are not tolerated where none answers', async () => {
    dns.set(HOST, 'A', ['127.0.0.2', '127.0.0.3']);
    expect(await check()).toMatchObject({ blocker: { reason: 'unreachable' }, tolerated: [] });
  });

  test.skipIf(!HAS_IPV6)('addresses of one family prove nothing about the other', async () => {
    const mayDial = () => true;
    dns.set(HOST, 'A', ['127.0.0.1']);
    dns.set(HOST, 'AAAA', ['::1']);
    expect(await check({ mayDial })).toMatchObject({ blocker: { reason: 'unreachable' }, tolerated: [] });
    await serve('::1', edge, port);
    expect(await check({ mayDial })).toMatchObject({ blocker: null, tolerated: [] });
    dns.set(HOST, 'A', ['127.0.0.1', '127.0.0.2']);
    expect(await check({ mayDial })).toMatchObject({ blocker: null, tolerated: ['127.0.0.2'] });
    dns.set(HOST, 'A', ['127.0.0.2']);
    expect(await check({ mayDial })).toMatchObject({ blocker: { reason: 'unreachable' }, tolerated: [] });
  });
});

test('eight addresses of a name are checked at most', async () => {
  dns.set(
    HOST,
    'A',
    Array.from({ length: 15 }, (_, index) => `127.0.0.${index + 1}`),
  );
  expect((await check()).selfCheck?.answers).toHaveLength(8);
});

test.each([1, 2, 3, 8, 15])(
  'a name with %i addresses that redirect costs at most 24 requests, the same number for each',
  async (count) => {
    const addresses = Array.from({ length: count }, (_, index) => `127.0.0.${index + 2}`);
    let requests = 0;
    for (const address of addresses) {
      await serve(
        address,
        ({ url = '' }, response) => {
          requests++;
          response.writeHead(301, { location: url }).end();
        },
        port,
      );
    }
    dns.set(HOST, 'A', addresses);
    const { reason, answers } = await reasonOf();
    expect(reason).toBe('answered_by_another');
    expect(new Set(answers?.map(({ seen }) => seen)).size).toBe(1);
    expect(requests).toBe({ 1: 11, 2: 22, 3: 24, 8: 24, 15: 24 }[count]);
  },
);

test('an aborted signal ends it, with its reason', async () => {
  const controller = new AbortController();
  await listening(
    createTcpServer(() => controller.abort(new Error('shut down'))),
    '127.0.0.2',
    port,
  );
  dns.set(HOST, 'A', ['127.0.0.2']);
  await expect(check({}, controller.signal)).rejects.toThrow('shut down');
});
