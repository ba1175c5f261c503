import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressRule } from '../../src/addresses.ts';
import { createSelfChecker, type SelfCheckOptions } from '../../src/certificates/selfcheck.ts';
import { systemClock } from '../../src/clock.ts';
import { type Simulator, startSimulator } from '../../src/dev/dns/simulator.ts';
import { type DnsClient, dnsClient } from '../../src/dns/client.ts';
import { recursiveResolver } from '../../src/dns/recursive.ts';

const HOST = 'shop.example.com';

let dns: Simulator;
let client: DnsClient;
let closing: (() => unknown)[];
/** What every node answers, by host and path. */
let challenges: Map<string, string>;
/** Host and path of what the edge was asked for. */
let asked: string[];
/** The edge's port, of HTTP. */
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

function check(options: Partial<SelfCheckOptions> = {}, signal = new AbortController().signal) {
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
  return checker(HOST, signal);
}

async function reasonOf(options: Partial<SelfCheckOptions> = {}) {
  const { obstacle, selfCheck } = await check(options);
  return { reason: obstacle?.reason, answers: selfCheck?.answers };
}

describe('a name is ours', () => {
  test('where each of its addresses answers our challenge', async () => {
    await serve('127.0.0.2', edge, port);
    dns.set(HOST, 'CNAME', ['t1.cname.test']);
    dns.set('t1.cname.test', 'A', ['127.0.0.1', '127.0.0.2']);
    const { obstacle, selfCheck } = await check();
    expect(obstacle).toBe(null);
    expect(selfCheck?.answers).toEqual([
      { address: '127.0.0.1', outcome: 'ours', seen: null },
      { address: '127.0.0.2', outcome: 'ours', seen: null },
    ]);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^shop\.example\.com\/\.well-known\/acme-challenge\/np-[\w-]{32}$/);
  });

  test('by another challenge each time', async () => {
    dns.set(HOST, 'A', ['127.0.0.1']);
    await check();
    await check();
    expect(new Set(asked).size).toBe(2);
  });

  test('where it redirects to itself on the other port, whatever certificate is there', async () => {
    const other = await serve('127.0.0.2', edge);
    await serve(
      '127.0.0.3',
      (_, response) => response.writeHead(302, { location: `http://${HOST}.:${other}/x` }).end(),
      port,
    );
    // The port of HTTPS is the other one, since this one speaks no TLS.
    dns.set(HOST, 'A', ['127.0.0.3']);
    const { reason, answers } = await reasonOf({ ports: { http: port, https: other } });
    expect(reason).toBe('answered_by_another');
    expect(answers?.[0]?.seen).toContain(`it redirects to "http://${HOST}.:${other}/x"`);
  });

  test('where there is no way from here to another of its addresses', async () => {
    dns.set(HOST, 'A', ['127.0.0.1']);
    // No connection ever leads to a multicast address.
    dns.set(HOST, 'AAAA', ['ff0e::1']);
    const { obstacle, selfCheck } = await check({ mayDial: () => true });
    expect(obstacle).toBe(null);
    expect(selfCheck?.answers[1]).toMatchObject({ address: 'ff0e::1', outcome: 'unreachable' });
    dns.remove(HOST, 'A');
    expect(await reasonOf({ mayDial: () => true })).toMatchObject({ reason: 'unreachable' });
  });
});
