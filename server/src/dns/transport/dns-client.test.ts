import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Socket as Connection, createServer } from 'node:net';
import packet, { type DecodedPacket, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ServerAddress } from '../protocol/query.ts';
import { type DnsClient, dnsClient, type QueryOptions } from './dns-client.ts';

const QUESTION = { name: 'www.acme.com', type: 'TXT' } as const;
const open: (() => unknown)[] = [];
let client: DnsClient;
let forgeries: number;

beforeEach(() => {
  forgeries = 0;
  client = dnsClient({ onForgery: () => forgeries++ });
  open.push(() => client.close());
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function query(server: ServerAddress, options: Partial<QueryOptions> = {}) {
  const signal = AbortSignal.timeout(10_000);
  return client.query(QUESTION, server, { recursion: false, signal, timeoutsMs: [2000], ...options });
}

interface ReceivedQuery {
  query: DecodedPacket;
  /** The query on the wire. */
  octets: Buffer;
  /** Source port. */
  port: number;
  /** Sends octets, or a matching response with these changes. */
  send(answer: Buffer | Packet): void;
}

/** A nameserver that handles each query as the test says. */
async function nameserver(
  onQuery: (received: ReceivedQuery) => unknown,
  address = '127.0.0.1',
  port = 0,
): Promise<ServerAddress> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (octets, from) => {
    const asked = packet.decode(octets);
    const send = (answer: Buffer | Packet) => {
      socket.send(Buffer.isBuffer(answer) ? answer : answerTo(asked, answer), from.port, from.address);
    };
    onQuery({ query: asked, octets, port: from.port, send });
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  open.push(() => socket.close());
  return { address, port: socket.address().port };
}

function answerTo(asked: DecodedPacket, answer: Packet = {}): Buffer {
  const matching = { id: asked.id ?? 0, questions: asked.questions ?? [], flags: packet.AUTHORITATIVE_ANSWER };
  return packet.encode({ type: 'response', ...matching, ...answer });
}

function txt(data: string): Packet {
  return { answers: [{ ...QUESTION, ttl: 60, data }] };
}

const TRUE = { rcode: 'noerror', answers: [{ value: 'true' }] };

describe('a response', () => {
  test('is returned decoded', async () => {
    const server = await nameserver(({ send }) => send(txt('true')));
    expect(await query(server)).toEqual({
      transport: 'udp',
      rcode: 'noerror',
      authoritative: true,
      answers: [{ name: 'www.acme.com', type: 'TXT', ttl: 60, value: 'true' }],
      authorities: [],
      additionals: [],
      authenticated: false,
      error: null,
    });
  });

  test('comes over IPv6 too', async (context) => {
    const server = await nameserver(({ send }) => send(txt('true')), '::1').catch(() => context.skip('no IPv6 here'));
    expect(await query(server)).toMatchObject(TRUE);
  });

  test('is queried without EDNS where the server does not support it', async () => {
    const server = await nameserver(({ query: asked, send }) => {
      send(asked.additionals?.length === 0 ? txt('true') : { flags: 1 });
    });
    expect(await query(server)).toMatchObject(TRUE);
  });

  test('that matches and cannot be decoded is malformed', async () => {
    const server = await nameserver(({ query: asked, send }) =>
      send(Buffer.concat([answerTo(asked, txt('true')).subarray(0, -3)])),
    );
    expect(await query(server)).toBe('malformed');
  });
});

describe('packets that do not match are ignored, and the true response is taken', () => {
  test.each([
    ['another id', (id: number) => ({ id: id ^ 1 })],
    ['another name', () => ({ questions: [{ ...QUESTION, name: 'api.acme.com' }] })],
    ['another type', () => ({ questions: [{ ...QUESTION, type: 'A' as const }] })],
    ['no question', () => ({ questions: [] })],
  ])('%s', async (_, forge) => {
    const server = await nameserver(({ query: asked, send }) => {
      send({ ...txt('forged'), ...forge(asked.id ?? 0) });
      send(txt('true'));
    });
    expect(await query(server)).toMatchObject(TRUE);
  });

  test.each<[string, string]>([
    ['another port', '127.0.0.1'],
    // Only Linux has a second loopback address.
    ...(process.platform === 'linux' ? [['another address', '127.0.0.2'] as [string, string]] : []),
  ])('the right id and question from %s', async (_, address) => {
    const forger = createSocket('udp4');
    open.push(() => forger.close());
    const server = await nameserver(({ query: asked, port, send }) => {
      forger.send(answerTo(asked, txt('forged')), port, '127.0.0.1', () => send(txt('true')));
    });
    forger.bind(address === '127.0.0.1' ? 0 : server.port, address);
    await once(forger, 'listening');
    expect(await query(server)).toMatchObject(TRUE);
  });

  test.each([
    ['empty', () => Buffer.alloc(0)],
    ['short', (id: Buffer) => id],
    ['very long', (id: Buffer) => Buffer.concat([id, Buffer.alloc(60_000, 0xc0)])],
    ['the query itself', (_id: Buffer, octets: Buffer) => octets],
  ])('a packet that is %s', async (_, junk) => {
    const server = await nameserver(({ query: asked, octets, send }) => {
      const id = Buffer.alloc(2);
      id.writeUInt16BE(asked.id ?? 0);
      send(junk(id, octets));
      send(txt('true'));
    });
    expect(await query(server)).toMatchObject(TRUE);
  });

  test('the response to an earlier attempt, during a later one', async () => {
    let earlier: DecodedPacket | undefined;
    const server = await nameserver(({ query: asked, send }) => {
      if (earlier === undefined) {
        earlier = asked;
        return;
      }
      send({ ...txt('forged'), id: earlier.id ?? 0 });
      send(txt('true'));
    });
    expect(await query(server, { timeoutsMs: [50, 2000] })).toMatchObject(TRUE);
  });
});

describe('no response', () => {
  test('is a timeout after all attempts, each of which has its own id', async () => {
    const ids: unknown[] = [];
    const server = await nameserver(({ query: asked }) => ids.push(asked.id));
    expect(await query(server, { timeoutsMs: [30, 60] })).toBe('timeout');
    expect(ids).toHaveLength(2);
  });

  test('ends when the signal aborts', async () => {
    const controller = new AbortController();
    const server = await nameserver(() => controller.abort());
    const response = query(server, { signal: controller.signal, timeoutsMs: [60_000, 60_000] });
    expect(await response).toBe('timeout');
    expect(await query(server, { signal: controller.signal })).toBe('timeout');
  });

  test('ends when the client is closed, and nothing is sent afterwards', async () => {
    let queries = 0;
    const server = await nameserver(() => {
      queries++;
      client.close();
    });
    expect(await query(server, { timeoutsMs: [60_000] })).toBe('timeout');
    expect(await query(server)).toBe('timeout');
    expect(queries).toBe(1);
  });

  test('is unreachable at once at an address that cannot be sent to', async () => {
    const server = { address: '255.255.255.255', port: 53 };
    expect(await query(server, { timeoutsMs: [60_000] })).toBe('unreachable');
  });

  test('is malformed for a name that cannot be encoded, and nothing is sent', async () => {
    const server = { address: '127.0.0.1', port: 9 };
    const options = { recursion: false, signal: AbortSignal.timeout(1000) };
    expect(await client.query({ name: 'a..b', type: 'A' }, server, options)).toBe('malformed');
  });
});

/** A nameserver whose TCP on the same port `onConnection` serves. */
async function overBoth(
  onQuery: (received: ReceivedQuery) => void,
  onConnection: (connection: Connection) => void,
): Promise<ServerAddress> {
  for (;;) {
    const server = await nameserver(onQuery);
    const tcp = createServer((connection) => onConnection(connection.on('error', () => {})));
    tcp.listen(server.port, server.address);
    // The port may be taken for TCP: then try another.
    if (
      !(await once(tcp, 'listening').then(
        () => true,
        () => false,
      ))
    )
      continue;
    open.push(() => tcp.close());
    return server;
  }
}

/** Answers each query on the connection, by way of `write`. */
function answering(write: (connection: Connection, framed: Buffer) => void, answer: Packet = txt('true')) {
  return (connection: Connection) =>
    connection.on('data', (octets) => write(connection, framed(answerTo(packet.decode(octets.subarray(2)), answer))));
}

function framed(octets: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(octets.length);
  return Buffer.concat([prefix, octets]);
}

describe('a truncated response is queried again over TCP', () => {
  /** UDP responses are truncated. */
  function truncating(onConnection: (connection: Connection) => void): Promise<ServerAddress> {
    return overBoth(({ query: asked, send }) => {
      // Cut in the middle of a record, as some servers do.
      const cut = answerTo(asked, { flags: packet.TRUNCATED_RESPONSE, ...txt('cut') });
      send(cut.subarray(0, -2));
    }, onConnection);
  }

  test('and the connection is closed', async () => {
    const closed: Promise<unknown>[] = [];
    const server = await truncating((connection) => {
      closed.push(once(connection, 'close'));
      answering((one, octets) => one.write(octets))(connection);
    });
    expect(await query(server)).toMatchObject({ ...TRUE, transport: 'tcp', truncated: true });
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });

  test('up to the largest size', async () => {
    const answers = Array.from({ length: 250 }, () => ({ ...QUESTION, ttl: 60, data: 'x'.repeat(230) }));
    const server = await truncating(answering((connection, octets) => connection.write(octets), { answers }));
    expect(await query(server)).toHaveProperty('answers.length', 250);
  });

  test('which may come octet by octet', async () => {
    const server = await truncating(
      answering((connection, octets) => {
        connection.setNoDelay(true);
        const [first, ...others] = octets;
        const feed = (octet: number | undefined) => {
          if (octet !== undefined) connection.write(Buffer.of(octet), () => setImmediate(feed, others.shift()));
        };
        feed(first);
      }),
    );
    expect(await query(server)).toMatchObject({ ...TRUE, transport: 'tcp' });
  });

  test.each([
    ['half an answer', (connection: Connection, octets: Buffer) => connection.end(octets.subarray(0, 20))],
    ['nothing', (connection: Connection) => connection.end()],
    ['an empty message', (connection: Connection) => connection.end(Buffer.of(0, 0))],
    ['garbage', (connection: Connection) => connection.end(Buffer.alloc(1000, 0xff))],
    [
      'another id',
      (connection: Connection, octets: Buffer) => {
        octets.writeUInt16BE(octets.readUInt16BE(2) ^ 1, 2);
        connection.end(octets);
      },
    ],
  ])('%s is malformed', async (_, write) => {
    const server = await truncating(answering(write));
    expect(await query(server)).toBe('malformed');
  });

  test('truncated again is malformed', async () => {
    const again = answering((connection, octets) => connection.end(octets), { flags: packet.TRUNCATED_RESPONSE });
    expect(await query(await truncating(again))).toBe('malformed');
  });

  test('of a slow server fails, and the connection is closed', async () => {
    const closed: Promise<unknown>[] = [];
    const server = await truncating((connection) => {
      closed.push(once(connection, 'close'));
      connection.resume().write(Buffer.of(0));
    });
    expect(await query(server, { timeoutsMs: [50] })).toBe('tcp_failed');
    await Promise.all(closed);
  });

  test('a server without TCP is named as such', async () => {
    const server = await nameserver(({ send }) => send({ flags: packet.TRUNCATED_RESPONSE }));
    expect(await query(server)).toBe('tcp_failed');
  });
});

describe('queries that share a TCP connection', () => {
  /** Holds the queries of its connections; `answer` responds to all of them, in order. */
  async function holding() {
    const held: { connection: Connection; asked: DecodedPacket }[] = [];
    const arrived: (() => void)[] = [];
    const server = await overBoth(
      () => {},
      (connection) => {
        let received = Buffer.alloc(0);
        connection.on('data', (octets) => {
          received = Buffer.concat([received, octets]);
          for (let end = 0; received.length >= 2; received = received.subarray(end)) {
            end = 2 + received.readUInt16BE(0);
            if (received.length < end) return;
            held.push({ connection, asked: packet.decode(received.subarray(2, end)) });
            arrived.shift()?.();
          }
        });
      },
    );
    return {
      ...{ server, held },
      next: () => new Promise<void>((resolve) => arrived.push(resolve)),
      answer() {
        for (const { connection, asked } of held) connection.write(framed(answerTo(asked, txt('true'))));
      },
    };
  }

  test('are not disturbed by the late response to one that timed out', async () => {
    const { server, held, next, answer } = await holding();
    const both = Promise.all([next(), next()]);
    const slow = query(server, { over: 'tcp', timeoutsMs: [200] });
    const patient = query(server, { over: 'tcp' });
    await both;
    expect(await slow).toBe('timeout');
    answer();
    expect(await patient).toMatchObject({ ...TRUE, transport: 'tcp' });
    expect(held[0]?.connection).toBe(held[1]?.connection);
  });

  test('end when the client is closed, also after one timed out', async () => {
    const { server, next } = await holding();
    const both = Promise.all([next(), next()]);
    const slow = query(server, { over: 'tcp', timeoutsMs: [200] });
    const { signal } = new AbortController();
    const patient = query(server, { over: 'tcp', timeoutsMs: [60_000], signal });
    await both;
    await slow;
    client.close();
    expect(await patient).toBe('timeout');
  });

  test('get another one after three seconds, also while some are in flight', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    open.push(() => vi.useRealTimers());
    const { server, held, next, answer } = await holding();
    const asked: Promise<unknown>[] = [];
    for (const passed of [2_900, 200, 0]) {
      const arrives = next();
      asked.push(query(server, { over: 'tcp', timeoutsMs: [9_000] }));
      await arrives;
      vi.advanceTimersByTime(passed);
    }
    answer();
    expect(await Promise.all(asked)).toMatchObject([TRUE, TRUE, TRUE]);
    const [first, second, third] = held.map(({ connection }) => connection);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

describe('guesses', () => {
  /** Sends so many responses with wrong ids before the true one. */
  const guessing =
    (guesses: number) =>
    ({ query: asked, send }: ReceivedQuery) => {
      for (let guess = 1; guess <= guesses; guess++) send({ ...txt('forged'), id: ((asked.id ?? 0) + guess) & 0xffff });
      send(txt('true'));
    };

  test('below three are counted, and the true response is taken', async () => {
    expect(await query(await nameserver(guessing(2)))).toMatchObject({ ...TRUE, transport: 'udp' });
    expect(forgeries).toBe(2);
  });

  test('end the query over UDP at the third, and it goes over TCP', async () => {
    const overTcp = answering((one, octets) => one.write(octets));
    expect(await query(await overBoth(guessing(100), overTcp))).toMatchObject({ ...TRUE, transport: 'tcp' });
    expect(forgeries).toBe(3);
  });

  test('leave nothing to read at a server without TCP', async () => {
    expect(await query(await nameserver(guessing(100)))).toBe('timeout');
  });

  test('are none where the response to an earlier query is late, however often', async () => {
    const first = new Map<number, number>();
    let late = 0;
    const server = await nameserver(({ query: { id = 0 }, port, send }) => {
      const earlier = first.get(port);
      if (earlier === undefined) return first.set(port, id);
      for (let sent = 0; sent < 5; sent++) send({ ...txt('late'), id: earlier });
      late++;
      return send(txt('true'));
    });
    for (let asked = 0; asked < 40; asked++)
      expect(await query(server, { timeoutsMs: Array(10).fill(20) })).toMatchObject(TRUE);
    expect(late).toBeGreaterThan(20);
    expect(forgeries).toBe(0);
  });

  test('have to get the case of each letter right where the name is in random case', async () => {
    const names = new Set<string>();
    const server = await nameserver(({ query: asked, send }) => {
      const [question] = asked.questions ?? [];
      names.add(question?.name ?? '');
      send({ ...txt('forged'), questions: [{ ...QUESTION, name: QUESTION.name.toUpperCase() }] });
      send(txt('true'));
    });
    for (let asked = 0; asked < 10; asked++) expect(await query(server, { mixedCase: true })).toMatchObject(TRUE);
    expect(names.size).toBeGreaterThan(5);
  });
});

describe('what a forger must guess', () => {
  async function ask(times: number, options: Partial<QueryOptions>) {
    const seen: { id: number | undefined; port: number }[] = [];
    const server = await nameserver(({ query: asked, port, send }) => {
      seen.push({ id: asked.id, port });
      send(txt('true'));
    });
    for (let asked = 0; asked < times; asked++) await query(server, options);
    return { ids: new Set(seen.map(({ id }) => id)), ports: new Set(seen.map(({ port }) => port)) };
  }

  test('each query has another id, and one of several ports', async () => {
    const { ids, ports } = await ask(60, {});
    expect(ids.size).toBeGreaterThan(55);
    expect(ports.size).toBeGreaterThan(3);
    expect(ports.size).toBeLessThanOrEqual(8);
  });

  test('a query that decides something comes from a new port', async () => {
    const { ports } = await ask(20, { second: true });
    expect(ports.size).toBeGreaterThan(15);
  });

  test('queries to resolvers come from ports that nameservers never see', async () => {
    const seen = { true: new Set<number>(), false: new Set<number>() };
    const server = await nameserver(({ query: asked, port, send }) => {
      seen[`${asked.flag_rd}`].add(port);
      send(txt('true'));
    });
    for (let asked = 0; asked < 40; asked++) await query(server, { recursion: asked % 2 === 0 });
    expect([...seen.true].filter((port) => seen.false.has(port))).toEqual([]);
  });

  test('queries to registries come from ports that other nameservers never see', async () => {
    const seen: Record<string, Set<number>> = { true: new Set(), false: new Set() };
    let registry = false;
    const server = await nameserver(({ port, send }) => {
      seen[`${registry}`]?.add(port);
      send(txt('true'));
    });
    for (let asked = 0; asked < 40; asked++) {
      registry = asked % 2 === 0;
      await query(server, { registry });
    }
    expect([...(seen.true ?? [])].filter((port) => seen.false?.has(port))).toEqual([]);
  });

  test('ports are renewed after a thousand queries', async () => {
    const ports = new Set<number>();
    const server = await nameserver(({ port, send }) => {
      ports.add(port);
      send(txt('true'));
    });
    for (let round = 0; round < 100; round++) await Promise.all(Array.from({ length: 100 }, () => query(server)));
    expect(ports.size).toBeGreaterThan(8);
  });
});

test('responses with octets changed never hang or throw: they are decoded, malformed or ignored', async () => {
  let mutate: (octets: Buffer) => Buffer = (octets) => octets;
  const server = await nameserver(({ query: asked, send }) => {
    send(mutate(answerTo(asked, txt('true'))));
    send(txt('true'));
  });
  const change = fc.tuple(fc.nat(70), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      mutate = (octets) => {
        for (const [at, octet] of changes) octets[at % octets.length] = octet;
        // Not truncated: nothing listens on TCP here.
        octets[2] = (octets[2] ?? 0) & 0xfd;
        return octets;
      };
      const response = await query(server);
      expect(typeof response === 'object' || response === 'malformed').toBe(true);
    }),
    { numRuns: 500 },
  );
});
