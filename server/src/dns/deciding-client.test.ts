import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import packet from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../playground/dns/simulator.ts';
import { systemClock } from '../base/clock.ts';
import { decidingClient } from './deciding-client.ts';
import { type DnsClient, dnsClient, type QueryClient, type QueryOptions } from './transport/dns-client.ts';

const QUESTION = { name: '_service.acme.com', type: 'TXT' } as const;
/** Its UDP is the simulator's, its TCP what a test starts. Nothing is sent to the address itself. */
const WITHOUT_TCP = '192.0.2.8';
/** Nobody listens there. */
const CLOSED_PORT = 1;

let client: DnsClient;
let nameserver: Simulator;
const open: (() => unknown)[] = [];
let tcpPort: number;
/** How each query was sent. */
let sent: (string | undefined)[];
let deciding: QueryClient;

beforeEach(async () => {
  client = dnsClient();
  nameserver = await startSimulator({ port: 0 });
  nameserver.set(QUESTION.name, 'TXT', ['true']);
  open.push(() => client.close(), nameserver.close);
  sent = [];
  tcpPort = CLOSED_PORT;
  const noting: QueryClient = {
    query(question, server, options) {
      sent.push(options.mixedCase ? 'mixed_case' : options.second ? 'second_tcp' : options.over);
      const isOverTcp = server.address === WITHOUT_TCP && !options.mixedCase;
      const place = { address: '127.0.0.1', port: isOverTcp ? tcpPort : nameserver.port };
      return client.query(question, place, options);
    },
  };
  deciding = decidingClient(noting, systemClock);
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function query(address: string, options: Partial<QueryOptions> = {}) {
  const signal = AbortSignal.timeout(10_000);
  const asking = { recursion: false, signal, timeoutsMs: [300], ...options };
  return deciding.query(QUESTION, { address, port: nameserver.port }, asking);
}

/** Serves the TCP of the address that has none. */
async function overTcp(onConnection: (connection: Socket) => void): Promise<Server> {
  const server = createServer((connection) => onConnection(connection.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  tcpPort = (server.address() as AddressInfo).port;
  open.push(() => server.close());
  return server;
}

const ANSWER = { rcode: 'noerror', answers: [{ value: 'true' }] };

test('what decides is asked over TCP, and nothing is sent over UDP', async () => {
  expect(await query('127.0.0.1')).toMatchObject({ ...ANSWER, transport: 'tcp' });
  expect(sent).toEqual(['tcp']);
});

describe('a nameserver whose TCP', () => {
  const replies = (flags: number) => (connection: Socket) =>
    connection.on('data', (octets) => {
      const { id = 0, questions = [] } = packet.decode(octets.subarray(2));
      connection.end(packet.streamEncode({ type: 'response', id, questions, flags }));
    });

  test.each<[string, ((connection: Socket) => void) | null]>([
    ['refuses connections', null],
    ['hangs', (connection) => connection.resume()],
    ['resets connections', (connection) => connection.resetAndDestroy()],
    ['closes them', (connection) => connection.end()],
    ['sends no DNS', (connection) => connection.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['refuses the query', replies(5)],
    ['fails', replies(2)],
  ])('%s is asked over UDP, with the name in random case', async (_, onConnection) => {
    if (onConnection !== null) await overTcp(onConnection);
    expect(await query(WITHOUT_TCP)).toMatchObject({ ...ANSWER, transport: 'udp' });
    expect(sent).toEqual(['tcp', 'mixed_case']);
  });

  test('is missing is not tried over it again at once', async () => {
    for (let asked = 0; asked < 3; asked++) await query(WITHOUT_TCP);
    expect(sent).toEqual(['tcp', 'mixed_case', 'mixed_case', 'mixed_case']);
  });

  test('is missing costs a query of the budget for each transport', async () => {
    expect(await query(WITHOUT_TCP, { mayRepeat: () => false })).toBe('unreachable');
    expect(sent).toEqual(['tcp']);
  });
});

test('the failure of a resolver over TCP is its answer: the zone is broken', async () => {
  nameserver.fail(QUESTION.name, 'servfail');
  expect(await query('127.0.0.1', { recursion: true })).toMatchObject({ rcode: 'servfail', transport: 'tcp' });
  expect(sent).toEqual(['tcp']);
});
