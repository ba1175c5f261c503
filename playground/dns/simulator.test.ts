import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import packet from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InvalidRecord } from './simulated-record.ts';
import { type Simulator, startSimulator } from './simulator.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ port: 0, clock: { now: () => 1_700_000_000_000 } });
});
afterEach(() => simulator.close());

/** Node's own client: another implementation than ours. */
function resolver(tries = 1, timeout = 2000): Resolver {
  const client = new Resolver({ tries, timeout });
  client.setServers([`127.0.0.1:${simulator.port}`]);
  return client;
}

async function overUdp(query: packet.Packet): Promise<packet.DecodedPacket> {
  const socket = createSocket('udp4');
  try {
    socket.send(packet.encode({ type: 'query', id: 7, ...query }), simulator.port, '127.0.0.1');
    const [octets] = await once(socket, 'message');
    return packet.decode(octets);
  } finally {
    socket.close();
  }
}

describe('responses to another client', () => {
  test('every type that can be set', async () => {
    simulator.set('acme.com', 'A', ['192.0.2.1', '192.0.2.2']);
    simulator.set('acme.com', 'AAAA', ['2001:db8::1']);
    simulator.set('acme.com', 'MX', ['10 mail.acme.com']);
    simulator.set('acme.com', 'CAA', ['0 issue "letsencrypt.org"']);
    simulator.set('acme.com', 'NS', ['ns1.acme.com']);
    simulator.set('acme.com', 'SOA', ['ns1.acme.com hostmaster.acme.com 7 3600 600 86400 60']);
    simulator.set('www.acme.com', 'CNAME', ['t1.cname.test'], 5);
    const client = resolver();
    expect(await client.resolve4('acme.com')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await client.resolve6('acme.com')).toEqual(['2001:db8::1']);
    expect(await client.resolveMx('acme.com')).toMatchObject([{ exchange: 'mail.acme.com', priority: 10 }]);
    expect(await client.resolveCaa('acme.com')).toMatchObject([{ critical: 0, issue: 'letsencrypt.org' }]);
    expect(await client.resolveNs('acme.com')).toEqual(['ns1.acme.com']);
    expect(await client.resolveSoa('acme.com')).toMatchObject({ nsname: 'ns1.acme.com', serial: 7 });
    expect(await client.resolveCname('WWW.acme.com')).toEqual(['t1.cname.test']);
  });

  test('TXT records of any length, in strings of at most 255 octets', async () => {
    const long = 'x'.repeat(600);
    simulator.set('_service.acme.com', 'TXT', ['', 'short', long]);
    const values = await resolver().resolveTxt('_service.acme.com');
    expect(values.map((strings) => strings.join('')).sort()).toEqual(['', 'short', long]);
    expect(values.find((strings) => strings.length > 1)?.map((string) => string.length)).toEqual([255, 255, 90]);
  });

  test('names that do not exist, and names without this type', async () => {
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    await expect(resolver().resolveTxt('no.acme.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver().resolveTxt('www.acme.com')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('responses too long for UDP go over TCP', async () => {
    const values = Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(200)}`);
    simulator.set('_service.acme.com', 'TXT', values);
    const found = await resolver().resolveTxt('_service.acme.com');
    expect(found.flat().sort()).toEqual(values.sort());
    expect(simulator.log().map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });
});

describe('messages', () => {
  test('without EDNS a response over UDP has at most 512 octets, with EDNS as many as the client allows', async () => {
    simulator.set('_service.acme.com', 'TXT', ['x'.repeat(600)]);
    const questions: packet.Question[] = [{ type: 'TXT', name: '_service.acme.com' }];
    const plain = await overUdp({ questions });
    expect(plain).toMatchObject({ id: 7, flag_tc: true, answers: [], questions });
    const opt: packet.Answer = {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 1232,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    };
    expect(await overUdp({ questions, additionals: [opt] })).toMatchObject({ flag_tc: false, flag_aa: true });
  });

  test('a query with RD gets the response of a resolver', async () => {
    const answer = await overUdp({ flags: packet.RECURSION_DESIRED, questions: [{ type: 'A', name: 'acme.com' }] });
    expect(answer).toMatchObject({ flag_rd: true, flag_ra: true });
  });

  test('garbage, responses and empty messages are ignored', async () => {
    const socket = createSocket('udp4');
    for (const octets of [Buffer.alloc(0), Buffer.alloc(3), Buffer.alloc(200, 0xff)]) {
      socket.send(octets, simulator.port, '127.0.0.1');
    }
    socket.send(packet.encode({ type: 'response', id: 1 }), simulator.port, '127.0.0.1');
    const connection = connect(simulator.port, '127.0.0.1');
    connection.end(Buffer.alloc(100, 0xff));
    await once(connection, 'close');
    socket.close();
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    expect(await resolver().resolve4('www.acme.com')).toEqual(['192.0.2.1']);
  });
});

describe('faults', () => {
  test.each([
    ['servfail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
    ['timeout', 'ETIMEOUT'],
  ] as const)('%s befalls exactly the name, until it is taken back', async (fault, code) => {
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    simulator.set('api.acme.com', 'A', ['192.0.2.2']);
    simulator.fail('WWW.acme.com.', fault);
    await expect(resolver(1, 200).resolve4('www.acme.com')).rejects.toMatchObject({ code });
    expect(await resolver().resolve4('api.acme.com')).toEqual(['192.0.2.2']);
    expect(simulator.unfail('www.acme.com')).toBe(true);
    expect(await resolver().resolve4('www.acme.com')).toEqual(['192.0.2.1']);
  });

  test('truncate leaves TCP as the only way', async () => {
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    simulator.fail('www.acme.com', 'truncate');
    expect(await resolver().resolve4('www.acme.com')).toEqual(['192.0.2.1']);
    expect(simulator.log().at(-1)?.transport).toBe('tcp');
  });

  test('lame responses are not authoritative', async () => {
    simulator.fail('www.acme.com', 'lame');
    const answer = await overUdp({ questions: [{ type: 'A', name: 'www.acme.com' }] });
    expect(answer).toMatchObject({ flag_aa: false, rcode: 'NOERROR', answers: [] });
  });

  test("bogus signatures are the resolver's to find: nameservers, and answers without checking, are as before", async () => {
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    simulator.fail('www.acme.com', 'bogus');
    const ask = (flags: number) => overUdp({ flags, questions: [{ type: 'A', name: 'www.acme.com' }] });
    expect(await ask(packet.RECURSION_DESIRED)).toMatchObject({ rcode: 'SERVFAIL' });
    expect(await ask(packet.RECURSION_DESIRED | packet.CHECKING_DISABLED)).toMatchObject({ rcode: 'NOERROR' });
    expect(await ask(0)).toMatchObject({ rcode: 'NOERROR' });
  });

  test('a delayed response comes after others', async () => {
    simulator.set('slow.acme.com', 'A', ['192.0.2.1']);
    simulator.set('quick.acme.com', 'A', ['192.0.2.2']);
    simulator.delay('slow.acme.com', 100);
    const order: string[] = [];
    await Promise.all(
      ['slow', 'quick'].map((name) =>
        resolver()
          .resolve4(`${name}.acme.com`)
          .then(() => order.push(name)),
      ),
    );
    expect(order).toEqual(['quick', 'slow']);
  });

  test('an unknown fault and an invalid delay are rejected', () => {
    // @ts-expect-error A fault from outside.
    expect(() => simulator.fail('www.acme.com', 'explode')).toThrow(/"explode" is not a fault/);
    expect(() => simulator.delay('www.acme.com', -1)).toThrow(InvalidRecord);
  });
});

describe('records and faults', () => {
  test('are listed, replaced by type, and removed', () => {
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    simulator.set('www.acme.com', 'A', ['192.0.2.2'], 5);
    simulator.set('www.acme.com', 'TXT', ['x']);
    expect(simulator.list()).toEqual([
      { name: 'www.acme.com', type: 'A', values: ['192.0.2.2'], ttl: 5 },
      { name: 'www.acme.com', type: 'TXT', values: ['x'], ttl: 60 },
    ]);
    expect(simulator.remove('WWW.acme.com', 'txt')).toBe(true);
    expect(simulator.remove('www.acme.com', 'TXT')).toBe(false);
    simulator.fail('www.acme.com', 'timeout');
    expect(simulator.remove('www.acme.com')).toBe(true);
    expect(simulator.list()).toEqual([]);
    expect(simulator.faults()).toEqual([]);
  });

  test('are restored from a snapshot, which is plain JSON', async () => {
    simulator.setZone('acme.co.uk', ['ns1.acme.co.uk']);
    simulator.delegate('sub.acme.com', ['ns1.sub.acme.com']);
    simulator.set('www.acme.co.uk', 'CNAME', ['x.test']);
    simulator.fail('www.acme.co.uk', 'servfail');
    simulator.delay('www.acme.co.uk', 5);
    const saved = JSON.parse(JSON.stringify(simulator.snapshot()));
    const other = await startSimulator({ port: 0 });
    other.set('old.acme.com', 'A', ['192.0.2.1']);
    other.restore(saved);
    expect(other.snapshot()).toEqual(saved);
    await other.close();
  });

  test('stay unchanged if a snapshot is invalid', () => {
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    const wrong = { ...simulator.snapshot(), records: [{ name: 'a b', type: 'A' as const, values: ['x'], ttl: 1 }] };
    expect(() => simulator.restore(wrong)).toThrow(InvalidRecord);
    expect(simulator.list()).toHaveLength(1);
  });
});

test('the log has client, question and RCODE of the last 1,000 queries', async () => {
  await expect(resolver().resolveTxt('no.acme.com')).rejects.toThrow();
  expect(simulator.log()).toEqual([
    {
      at: 1_700_000_000_000,
      from: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      transport: 'udp',
      name: 'no.acme.com',
      type: 'TXT',
      rcode: 'NXDOMAIN',
    },
  ]);
  const socket = createSocket('udp4');
  for (let sent = 0; sent < 1010; sent++) {
    socket.send(
      packet.encode({ id: sent, questions: [{ type: 'A', name: `n${sent}.test` }] }),
      simulator.port,
      '127.0.0.1',
    );
    await once(socket, 'message');
  }
  socket.close();
  expect(simulator.log()).toHaveLength(1000);
  expect(simulator.log().at(-1)?.name).toBe('n1009.test');
});

test('it binds loopback only', async () => {
  await expect(startSimulator({ port: 0, host: '0.0.0.0' })).rejects.toThrow('binds loopback only');
  await expect(startSimulator({ port: 0, host: '127.evil.test' })).rejects.toThrow('binds loopback only');
});

test('a port in use is an error', async () => {
  await expect(startSimulator({ port: simulator.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
