import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, request as requestHttp } from 'node:http';
import { createServer, request, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import {
  createAuthorityCertificate,
  createServerCertificate,
} from '../../server/src/certificates/x509/x509-certificate.ts';
import { recursiveResolver } from '../../server/src/dns/recursive.ts';
import { type DnsClient, dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { FindingCode } from '../../server/src/domain/finding.ts';
import { liveFindings } from '../../server/src/domain/findings/live-findings.ts';
import { type Live, type LiveProblem, type LiveState, verdictOf } from '../../server/src/domain/live.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createKeyedChallenge, respondToKeyed } from '../../server/src/store/sealing/keyed-challenges.ts';
import { createKeyring } from '../../server/src/store/sealing/keyring.ts';
import { FAILURES_AN_HOUR } from '../../server/src/verification/observation/failing-addresses.ts';
import { createOutsideLooker, type OutsideLooker } from '../../server/src/verification/observation/look-outside.ts';
import { closingAfterEach } from '../support/closing.ts';
import { listen } from '../support/listen.ts';

const HOST = 'shop.example.com';
const OTHER_HOST = 'else.example.com';
const HAS_IPV6 = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'));
const IS_LINUX = process.platform === 'linux';
const DAY_MS = 86_400_000;
/** Where nothing may be connected to, although something listens there. */
const FORBIDDEN = '127.0.0.99';
/** There is no route to a multicast address. */
const NO_ROUTE = 'ff0e::1';

const closing = closingAfterEach();
let dns: Simulator;
let client: DnsClient;

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  client = dnsClient();
});
afterAll(async () => {
  client.close();
  await dns.close();
});

function authority(name: string) {
  const privateKey = readPrivateKey(newPrivateKey());
  const validity = { notBefore: Date.now() - 30 * DAY_MS, notAfter: Date.now() + 30 * DAY_MS };
  const der = createAuthorityCertificate({ name, privateKey }, { pathLength: 0, ...validity });
  return { signer: { name, privateKey }, pem: certificatePem(der) };
}

/** Stands for a public CA. */
const PUBLIC_CA = authority('Public CA');
/** A CA that no visitor trusts, such as the internal one. */
const PRIVATE_CA = authority('Private CA');

interface Tls {
  cert: string;
  key: string;
}

function certificate({ hostname = HOST, ca = PUBLIC_CA, from = -1, to = 1 } = {}): Tls {
  const key = readPrivateKey(newPrivateKey());
  const validity = { notBefore: Date.now() + from * DAY_MS, notAfter: Date.now() + to * DAY_MS };
  const der = createServerCertificate({ hostname, key }, { signer: ca.signer, ...validity });
  return { cert: certificatePem(der), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function selfSigned(): Tls {
  const key = readPrivateKey(newPrivateKey());
  const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + DAY_MS };
  const der = createServerCertificate(
    { hostname: HOST, key },
    { signer: { name: HOST, privateKey: key }, ...validity },
  );
  return { cert: certificatePem(der), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const VALID = certificate();
const SELF_SIGNED = selfSigned();
const OWN = certificate({ ca: PRIVATE_CA });

/** The sealing key of the installation. */
const KEY = randomBytes(32);
const KEYRING = createKeyring({ name: 'test', keys: () => [KEY] });
const responseTo = (host = '', path = '') =>
  respondToKeyed(KEYRING, host.replace(/:\d+$/, ''), path.split('/').at(-1) ?? '') ?? undefined;

/** Answers challenges as the edge does. */
const ours: RequestListener = (asked, response) => {
  const { host } = asked.headers;
  const found = responseTo(host, asked.url);
  response.writeHead(found === undefined ? 404 : 200).end(found);
};
const tokenOf = (url = '') => url.split('/').at(-1) ?? '';
const answer =
  (status: number, body: string, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

const https = (listener: RequestListener, tls: Tls = VALID, options: ServerOptions = {}) =>
  createServer({ ...tls, ...options }, listener);
const EDGE = () => https(ours);
const OLD = () => https(answer(200, '<h1>My shop</h1>'));
/** Handles the connection after its TLS handshake. */
const tls = (onSecure: (socket: Socket) => void) =>
  createTlsServer(VALID, (socket) => onSecure(socket.on('error', () => {})));
/** After the beginning of a request. */
const tlsAnswer = (text: string) => tls((socket) => socket.once('data', () => socket.write(text)));
const tcp = (onConnection: (socket: Socket) => void) => createTcpServer(onConnection);

/** A proxy with TLS of its own, in front of a server that it reaches over HTTP or HTTPS. */
function proxy(scheme: 'http' | 'https', own: Tls = VALID): () => Promise<Server> {
  return async () => {
    const behind = scheme === 'https' ? EDGE() : createHttpServer(ours);
    const port = await listen(closing, behind);
    return https((asked, response) => {
      const to = { port, host: '127.0.0.1', path: asked.url, headers: asked.headers };
      const send = scheme === 'https' ? request({ ...to, servername: HOST, ca: PUBLIC_CA.pem }) : requestHttp(to);
      send.on('response', (found) => {
        response.writeHead(found.statusCode ?? 502, { via: '1.1 proxy', 'cf-ray': '1' });
        found.pipe(response);
      });
      send.end();
    }, own);
  };
}

/** Passes connections on as they are, as a load balancer does. */
async function passThrough(): Promise<Server> {
  const port = await listen(closing, EDGE());
  return tcp((socket) => {
    const behind = connect(port, '127.0.0.1');
    socket
      .on('error', () => behind.destroy())
      .pipe(behind.on('error', () => socket.destroy()))
      .pipe(socket);
  });
}

type Place = () => Server | Promise<Server>;

interface Case {
  what: string;
  /** Servers by address; null: nobody listens there. */
  at?: Record<string, Place | null>;
  /** By default an A or AAAA record for each address. */
  dns?: () => unknown;
  state: LiveState | null;
  problem?: LiveProblem;
  /** Those of its addresses that have one. */
  problems?: Record<string, LiveProblem>;
  timeoutMs?: number;
  needsIpv6?: boolean;
}

const A = '127.0.0.1';
const B = '127.0.0.2';
const C = '127.0.0.3';
const D = '127.0.0.4';
const V6 = '::1';
const one = (place: Place | null) => ({ [A]: place });
const set = (type: string, ...values: string[]) => dns.set(HOST, type, values);
const set2 = (v4: string[], v6: string[]) => {
  set('A', ...v4);
  set('AAAA', ...v6);
};
const broken = (fault: 'servfail' | 'refused') => {
  set('A', A);
  dns.fail(HOST, fault);
};
const alsoHttp = async () => {
  set('A', A);
  await listen(closing, createHttpServer(ours));
};
const endless = (socket: Socket, head: string, text = 'x'.repeat(16_384)) => {
  const more = () => {
    while (socket.writable && socket.write(text, 'latin1'));
  };
  socket.write(head);
  socket.on('drain', more);
  more();
};

const CASES: Case[] = [
  // Live.
  { what: 'its address is the edge', at: one(EDGE), state: 'live' },
  { what: 'both of its addresses are the edge', at: { [A]: EDGE, [B]: EDGE }, state: 'live' },
  {
    what: 'a chain of CNAMEs leads to the edge',
    at: one(EDGE),
    dns: () => chain('h1.example.net', 'h2.example.net', A),
    state: 'live',
  },
  { what: 'it has IPv6 alone', at: { [V6]: EDGE }, state: 'live', needsIpv6: true },
  { what: 'it has IPv4 and IPv6', at: { [A]: EDGE, [V6]: EDGE }, state: 'live', needsIpv6: true },
  { what: 'a proxy passes requests on over HTTPS', at: one(proxy('https')), state: 'live' },
  { what: 'a proxy passes requests on over HTTP', at: one(proxy('http')), state: 'live' },
  { what: 'a load balancer passes connections on', at: one(passThrough), state: 'live' },
  { what: 'it speaks TLS 1.2 alone', at: one(() => https(ours, VALID, { maxVersion: 'TLSv1.2' })), state: 'live' },
  {
    what: 'its certificate is a wildcard',
    at: one(() => https(ours, certificate({ hostname: '*.example.com' }))),
    state: 'live',
  },
  { what: 'its certificate is of the CA of this installation', at: one(() => https(ours, OWN)), state: 'live' },
  {
    what: 'the response has a line break at its end, and comes in pieces',
    at: one(() =>
      https(({ headers, url }, response) => {
        for (const character of responseTo(headers.host, url) ?? '') response.write(character);
        response.end('\r\n');
      }),
    ),
    state: 'live',
  },
  {
    what: 'there is no route from here to another of its addresses',
    at: one(EDGE),
    dns: () => set2([A], [NO_ROUTE]),
    state: 'live',
    problems: { [NO_ROUTE]: 'no_route' },
  },
  // Another server.
  { what: 'an old server answers', at: one(OLD), state: 'unreachable', problem: 'answered_by_another' },
  {
    what: 'an old server with a certificate of its own making answers',
    at: one(() => https(answer(404, 'Not found'), SELF_SIGNED)),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'an old server with an expired certificate answers',
    at: one(() => https(answer(404, ''), certificate({ from: -9, to: -2 }))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server repeats the path',
    at: one(() => https(({ url }, response) => response.end(url))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server repeats the token, and makes the rest up',
    at: one(() => https(({ url }, response) => response.end(`${tokenOf(url)}.${'a'.repeat(32)}`))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server answers with its own ACME account',
    at: one(() => https(({ url }, response) => response.end(`${tokenOf(url)}.thumbprint`))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server replays a response of ours to an earlier challenge',
    at: one(() => https(answer(200, createKeyedChallenge(KEYRING, HOST).response))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a proxy leads to a server that is down',
    at: one(() => https(answer(502, 'Bad gateway'))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'the right body comes with an error',
    at: one(() => https(({ headers, url }, response) => response.writeHead(503).end(responseTo(headers.host, url)))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server redirects to another name',
    at: one(() => https(answer(301, '', { location: `https://${OTHER_HOST}/` }))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server redirects to itself',
    at: one(() => https(({ url }, response) => response.writeHead(302, { location: url }).end())),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'a server redirects to an internal address',
    at: { ...one(() => https(answer(307, '', { location: `https://${FORBIDDEN}/` }))), [FORBIDDEN]: () => forbidden() },
    dns: () => set('A', A),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  {
    what: 'the response has no end',
    at: one(() => tls((socket) => endless(socket, 'HTTP/1.1 200 OK\r\n\r\n'))),
    state: 'unreachable',
    problem: 'answered_by_another',
  },
  // Certificates, where the edge is behind them.
  {
    what: 'a proxy has a certificate for another name',
    at: one(proxy('https', certificate({ hostname: OTHER_HOST }))),
    state: 'unreachable',
    problem: 'certificate_wrong_name',
  },
  {
    what: 'a certificate for a wildcard one label too high',
    at: one(() => https(ours, certificate({ hostname: '*.com' }))),
    state: 'unreachable',
    problem: 'certificate_wrong_name',
  },
  {
    what: 'a proxy has an expired certificate',
    at: one(proxy('http', certificate({ from: -9, to: -2 }))),
    state: 'unreachable',
    problem: 'certificate_expired',
  },
  {
    what: 'a certificate is not valid yet',
    at: one(() => https(ours, certificate({ from: 1, to: 2 }))),
    state: 'unreachable',
    problem: 'certificate_not_yet_valid',
  },
  {
    what: 'a proxy has a certificate of its own making',
    at: one(proxy('https', SELF_SIGNED)),
    state: 'unreachable',
    problem: 'certificate_untrusted',
  },
  {
    what: 'a proxy has another certificate of a CA that nobody trusts',
    at: one(proxy('https', certificate({ ca: PRIVATE_CA }))),
    state: 'unreachable',
    problem: 'certificate_untrusted',
  },
  // No connection.
  { what: 'nobody listens at 443', at: one(null), state: 'unreachable', problem: 'connection_refused' },
  {
    what: 'it answers over HTTP alone',
    at: one(null),
    dns: () => alsoHttp(),
    state: 'unreachable',
    problem: 'connection_refused',
  },
  {
    what: 'the handshake never ends',
    at: one(() => tcp(() => {})),
    state: 'unreachable',
    problem: 'timeout',
    timeoutMs: 300,
  },
  {
    what: 'connections are closed at once',
    at: one(() => tcp((socket) => socket.destroy())),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  {
    what: 'the handshake is reset',
    at: one(() => tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  {
    what: 'it speaks HTTP without TLS',
    at: one(() => createHttpServer(ours)),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  {
    what: 'it speaks another protocol',
    at: one(() => tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'))),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  {
    what: 'it has no certificate for the name, and ends the handshake',
    at: one(() => https(ours, VALID, { SNICallback: (_, done) => done(new Error('unknown name')) })),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  {
    what: 'it does not speak HTTP/1.1',
    at: one(() => createTlsServer({ ...VALID, ALPNProtocols: ['acme-tls/1', 'h2'] })),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  // No response.
  {
    what: 'it closes the connection after the handshake',
    at: one(() => tls((socket) => socket.end())),
    state: 'unreachable',
    problem: 'no_response',
  },
  {
    what: 'it wants a certificate of its clients',
    at: one(() => https(ours, VALID, { requestCert: true, rejectUnauthorized: true })),
    state: 'unreachable',
    problem: 'no_response',
  },
  {
    what: 'its response is not HTTP',
    at: one(() => tlsAnswer('hello\r\n')),
    state: 'unreachable',
    problem: 'no_response',
  },
  {
    what: 'its header has no end',
    at: one(() => tls((socket) => socket.once('data', () => endless(socket, 'HTTP/1.1 200 OK\r\nx: ')))),
    state: 'unreachable',
    problem: 'no_response',
  },
  {
    what: 'its interim responses have no end',
    at: one(() => tls((socket) => socket.once('data', () => endless(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n')))),
    state: 'unreachable',
    problem: 'no_response',
  },
  {
    what: 'it has a certificate that fills megabytes',
    at: one(() => https(ours, { ...VALID, cert: VALID.cert + PUBLIC_CA.pem.repeat(3000) })),
    state: 'unreachable',
    problem: 'tls_failed',
  },
  {
    what: 'it changes the protocol',
    at: one(() => tlsAnswer('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')),
    state: 'unreachable',
    problem: 'no_response',
    timeoutMs: 300,
  },
  {
    what: 'it never responds',
    at: one(() => https(() => {})),
    state: 'unreachable',
    problem: 'timeout',
    timeoutMs: 300,
  },
  {
    what: 'its response stops halfway',
    at: one(() => tlsAnswer('HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\nnp-')),
    state: 'unreachable',
    problem: 'timeout',
    timeoutMs: 300,
  },
  // Several addresses.
  {
    what: 'half of its addresses are dead',
    at: { [A]: EDGE, [B]: null, [C]: EDGE, [D]: null },
    state: 'partly_live',
    problem: 'connection_refused',
    problems: { [B]: 'connection_refused', [D]: 'connection_refused' },
  },
  {
    what: 'the record of an old server was left beside ours',
    at: { [A]: EDGE, [B]: OLD },
    state: 'partly_live',
    problem: 'answered_by_another',
    problems: { [B]: 'answered_by_another' },
  },
  {
    what: 'its IPv6 address is that of an old server',
    at: { [A]: EDGE, [V6]: OLD },
    state: 'partly_live',
    problem: 'answered_by_another',
    problems: { [V6]: 'answered_by_another' },
    needsIpv6: true,
  },
  {
    what: 'its addresses fail in several ways',
    at: { [A]: null, [B]: OLD, [C]: () => https(ours, SELF_SIGNED) },
    state: 'unreachable',
    problem: 'answered_by_another',
    problems: { [A]: 'connection_refused', [B]: 'answered_by_another', [C]: 'certificate_untrusted' },
  },
  {
    what: 'one of its addresses is private',
    at: { [A]: EDGE, [FORBIDDEN]: () => forbidden() },
    state: 'partly_live',
    problem: 'address_not_public',
    problems: { [FORBIDDEN]: 'address_not_public' },
  },
  {
    what: 'all of its addresses are private',
    at: { [FORBIDDEN]: () => forbidden() },
    dns: () => set2([FORBIDDEN, '10.0.0.1', '169.254.169.254', '192.168.1.1'], ['fe80::1', 'fd00::1']),
    state: 'unreachable',
    problem: 'address_not_public',
  },
  // DNS.
  { what: 'it has no records', dns: () => {}, state: 'unreachable', problem: 'no_address' },
  { what: 'it has a TXT record alone', dns: () => set('TXT', 'hello'), state: 'unreachable', problem: 'no_address' },
  {
    what: 'its CNAME leads nowhere',
    dns: () => set('CNAME', 'gone.test'),
    state: 'unreachable',
    problem: 'no_address',
  },
  {
    what: 'its nameserver answers SERVFAIL',
    at: one(EDGE),
    dns: () => broken('servfail'),
    state: null,
  },
  { what: 'its nameserver refuses', at: one(EDGE), dns: () => broken('refused'), state: null },
  { what: 'there is no route from here to any of its addresses', dns: () => set('AAAA', NO_ROUTE), state: null },
];

function chain(first: string, second: string, address: string): void {
  set('CNAME', first);
  dns.set(first, 'CNAME', [second]);
  dns.set(second, 'A', [address]);
}

/** Connections to where none may go. */
let forbiddenConnections = 0;
const forbidden = () =>
  tcp((socket) => {
    forbiddenConnections += 1;
    socket.destroy();
  });

/** Places the servers at one port of several addresses, and publishes these. Resolves with what looks at them, and the number of connections so far. */
async function world(
  { at = {}, timeoutMs }: Pick<Case, 'at' | 'timeoutMs'>,
  clock = systemClock,
): Promise<OutsideLooker> {
  forbiddenConnections = 0;
  dns.restore({ records: [], zones: [], faults: [] });
  const servers = await Promise.all(
    Object.entries(at).map(async ([address, place]) => [address, await place?.()] as const),
  );
  const port = await freePort();
  for (const [address, server] of servers) if (server !== undefined) await listen(closing, server, address, port);
  const v6 = Object.keys(at).filter((address) => address.includes(':'));
  const v4 = Object.keys(at).filter((address) => !address.includes(':'));
  if (v4.length > 0) set('A', ...v4);
  if (v6.length > 0) set('AAAA', ...v6);
  return createOutsideLooker({
    store: { findCertificate: async () => ({ issued: { issuer: 'internal', chain: OWN.cert } }) as never },
    newChallenge: (hostname) => createKeyedChallenge(KEYRING, hostname),
    resolver: recursiveResolver({ client, resolvers: [{ address: dns.address, port: dns.port }] }),
    mayDial: (address) => address !== FORBIDDEN && addressRule(['127.0.0.0/8', V6, NO_ROUTE])(address),
    clock,
    trustRoots: PUBLIC_CA.pem,
    port,
    ...(timeoutMs && { timeoutMs }),
  });
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Linux alone has every address of 127.0.0.0/8. */
function canRun({ at = {}, needsIpv6, problems }: Case): boolean {
  if (needsIpv6 && !HAS_IPV6) return false;
  return IS_LINUX || (problems === undefined && Object.keys(at).every((address) => address === A || address === V6));
}

/** The findings of a name that its TXT record has verified a day ago. */
const toldOf = (live: Live) =>
  liveFindings(
    {
      name: HOST,
      kind: 'subdomain',
      status: 'verified',
      verifiedAt: 0,
      routingVerifiedAt: null,
      verificationError: null,
    } as Domain,
    live,
    { edgeAddresses: [], isServed: true },
  );

/** The owner of the name is told this of each problem. */
const TOLD: Partial<Record<LiveProblem, FindingCode>> = {
  answered_by_another: 'other_certificate',
  certificate_wrong_name: 'other_certificate',
  certificate_not_yet_valid: 'other_certificate',
  certificate_untrusted: 'other_certificate',
  certificate_expired: 'certificate_expired_outside',
  address_not_public: 'tls_unreachable',
  connection_refused: 'tls_unreachable',
  tls_failed: 'tls_unreachable',
  no_response: 'tls_unreachable',
  timeout: 'tls_unreachable',
};

/** Looks at the name of a case, and compares. */
async function compare(each: Case): Promise<void> {
  const look = await world(each);
  if (each.dns !== undefined) {
    dns.restore({ records: [], zones: [], faults: [] });
    await each.dns();
  }
  const verdict = verdictOf(await look(HOST, new AbortController().signal));
  const expected = each.state && { state: each.state, problem: each.problem ?? null };
  expect(verdict && { state: verdict.state, problem: verdict.problem }).toEqual(expected);
  const failed = verdict?.addresses.filter(({ problem }) => problem !== null) ?? [];
  const problems = Object.fromEntries(failed.map(({ address, problem }) => [address, problem]));
  if (each.problems !== undefined) expect(problems).toEqual(each.problems);
  const told = verdict === null ? [] : toldOf({ ...verdict, since: 0, checkedAt: DAY_MS, from: 'here' });
  const wanted = [...new Set(failed.flatMap(({ problem }) => (problem && TOLD[problem]) ?? []))];
  expect([...new Set(told.map(({ code }) => code))].toSorted()).toEqual(wanted.toSorted());
  expect(forbiddenConnections).toBe(0);
}

describe('a look from outside is right when', () => {
  const rows = (wanted: boolean) =>
    CASES.filter((each) => canRun(each) === wanted).map((each) => [each.what, each] as const);
  test.each(rows(true))('%s', (_, each) => compare(each));
  test.skip.each(rows(false))('%s', (_, each) => compare(each));
});

test.skipIf(!IS_LINUX)('a look makes one connection to each address, and to eight at most', async () => {
  const addresses = Array.from({ length: 12 }, (_, i) => `127.0.0.${i + 1}`);
  const connections = new Map<string, number>();
  const counted = (address: string) => () =>
    EDGE().on('connection', () => connections.set(address, (connections.get(address) ?? 0) + 1));
  const look = await world({ at: Object.fromEntries(addresses.map((address) => [address, counted(address)])) });
  const seen = await look(HOST, new AbortController().signal);
  expect(verdictOf(seen)).toMatchObject({ state: 'live' });
  expect([...connections.values()]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
});

test('a look at a wildcard domain is one at a random name below it, with the certificate of the wildcard', async () => {
  const hosts: string[] = [];
  const edge = () =>
    https(
      (asked, response) => {
        hosts.push(asked.headers.host ?? '');
        ours(asked, response);
      },
      certificate({ hostname: `*.${HOST}` }),
    );
  const look = await world({ at: one(edge) });
  dns.set(`*.${HOST}`, 'A', [A]);
  for (let i = 0; i < 2; i += 1)
    expect(verdictOf(await look(`*.${HOST}`, new AbortController().signal))).toMatchObject({ state: 'live' });
  expect(new Set(hosts).size).toBe(2);
  for (const host of hosts) expect(host).toMatch(/^nameplate-[0-9a-f]{16}\.shop\.example\.com/);
});

test('looks for many names at an address that is not ours end at the limit, and say nothing about them', async () => {
  let connections = 0;
  const stranger = () =>
    tcp((socket) => socket.destroy()).on('connection', () => {
      connections += 1;
    });
  const now = systemClock.now();
  const look = await world({ at: one(stranger) }, { now: () => now });
  const seen: string[] = [];
  for (let i = 0; i < FAILURES_AN_HOUR + 10; i += 1) {
    const name = `n${i}.example.com`;
    dns.set(name, 'A', [A]);
    seen.push((await look(name, new AbortController().signal)).kind);
  }
  expect(connections).toBe(FAILURES_AN_HOUR);
  expect(new Set(seen.slice(FAILURES_AN_HOUR))).toEqual(new Set(['unreadable']));
});

test('a look that is aborted rejects, and leaves no connection', async () => {
  const abort = new AbortController();
  const closed = Promise.withResolvers<void>();
  const look = await world({
    at: one(() =>
      tcp((socket) => {
        socket.on('error', () => {}).on('close', () => closed.resolve());
        abort.abort(new Error('enough'));
      }),
    ),
  });
  await expect(look(HOST, abort.signal)).rejects.toThrow('enough');
  await closed.promise;
});
