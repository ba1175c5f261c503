import { createSocket } from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import packet from 'dns-packet';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { examineListeners } from '../../server/src/cli/doctor/examine-host.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { answersOf, queryDns, sendTcp, sendUdp } from '../support/dns-query.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';

const LABEL = 'k7q2m9x4c1v8b3n6z5t0';
const CHALLENGE = `${LABEL}.acme.example.net`;
const TARGET = `${LABEL}.cname.example.net`;
const BOTH = ['udp', 'tcp'] as const;

let directory: string;
let server: RunningServer;
let dns: string;

function start(variables: Record<string, string>): Promise<RunningServer> {
  const config = readServerConfig({
    NAMEPLATE_DATABASE_URL: `sqlite:${join(directory, 'nameplate.db')}`,
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_CHALLENGE_ZONE: 'acme.example.net',
    NAMEPLATE_CNAME_ZONE_DELEGATED: 'on',
    NAMEPLATE_DNS_SERVERS: 'ns1.acme.example.net=192.0.2.53',
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1',
    NAMEPLATE_DNS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_ADDRESSES: '192.0.2.10',
    NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_LISTEN: 'off',
    NAMEPLATE_EDGE_CACHE: 'off',
    NAMEPLATE_API_THREADS: '0',
    NAMEPLATE_LOG_LEVEL: 'silent',
    ...variables,
  });
  return startServer(config, { log: createLog('silent') });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-'));
  server = await start({ NAMEPLATE_ROLES: 'dns' });
  dns = server.dns?.[0] ?? '';
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

/** Waits until the server answers so. */
function answers(name: string, type: string, expected: unknown, from = dns): Promise<void> {
  return vi.waitFor(async () => expect(await answersOf(from, { name, type })).toEqual(expected), { timeout: 10_000 });
}

test('a challenge is answered over UDP and TCP once it is in the store, at the challenge zone and at the target, until it is removed', async () => {
  const { store } = server;
  await answers(CHALLENGE, 'TXT', 'NOERROR');
  await store.addDnsChallenge({ label: LABEL, value: 'one', expiresAt: Date.now() + 60_000 });
  await store.addDnsChallenge({ label: LABEL, value: 'two', expiresAt: Date.now() + 60_000 });
  await answers(CHALLENGE, 'TXT', ['one', 'two']);
  for (const transport of BOTH)
    for (const name of [CHALLENGE, TARGET])
      expect(await answersOf(dns, { name, type: 'TXT', transport })).toEqual(['one', 'two']);
  await store.removeDnsChallenge(LABEL, 'one');
  await answers(CHALLENGE, 'TXT', ['two']);
  await store.removeDnsChallenge(LABEL, 'two');
  await answers(CHALLENGE, 'TXT', 'NOERROR');
});

test('targets have the addresses of this node until an edge has reported its own', async () => {
  await answers(TARGET, 'A', ['192.0.2.10']);
  const edge = await start({ NAMEPLATE_ROLES: 'edge', NAMEPLATE_EDGE_ADDRESSES: '192.0.2.20,2001:db8::20' });
  onTestFinished(() => edge.stop());
  await answers(TARGET, 'A', ['192.0.2.20']);
  await answers(TARGET, 'AAAA', ['2001:db8::20']);
});

test('targets have an HTTPS record only where the operator wants it: browsers would use HTTPS before there is a certificate', async () => {
  const records = async (at: string) => (await queryDns(at, { name: TARGET, type: 'UNKNOWN_65' })).answers?.length;
  expect(await records(dns)).toBe(0);
  const other = await start({ NAMEPLATE_ROLES: 'dns', NAMEPLATE_HTTPS_RECORDS: 'on' });
  onTestFinished(() => other.stop());
  expect(await records(other.dns?.[0] ?? '')).toBe(1);
});

describe('over TCP', () => {
  const soa = packet.encode({ type: 'query', id: 1, questions: [{ name: 'acme.example.net', type: 'SOA' }] });

  test('many queries over one connection are answered in order, though nobody waits between them', async () => {
    const queries = Array.from({ length: 500 }, (_, id) =>
      packet.encode({ type: 'query', id, questions: [{ name: 'acme.example.net', type: 'SOA' }] }),
    );
    const responses = await sendTcp(dns, queries);
    expect(responses.map((each) => each.readUInt16BE(0))).toEqual(queries.map((_, id) => id));
  });

  test('a query that arrives octet by octet is answered, and a client that speaks no DNS is disconnected', async () => {
    const { hostname: host, port } = new URL(`dns://${dns}`);
    const slow = connect({ host, port: Number(port), noDelay: true });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(soa.length);
    for (const octet of Buffer.concat([length, soa])) {
      slow.write(Buffer.of(octet));
      await new Promise(setImmediate);
    }
    const [response] = await once(slow, 'data');
    expect(packet.decode(response.subarray(2)).answers).toHaveLength(1);
    slow.destroy();
    for (const text of ['GET / HTTP/1.1\r\n\r\n', '\0\x01x']) {
      const other = connect({ host, port: Number(port) });
      other.on('error', () => {});
      other.write(text);
      await once(other, 'close');
    }
  });
});

test('what clients ask is counted by transport and code, and a flood of other values adds no series', async () => {
  await queryDns(dns, { name: 'elsewhere.example', type: 'A', transport: 'tcp' });
  await sendUdp(dns, Buffer.from('000128000000000000000000', 'hex'));
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  expect(text).toMatch(/nameplate_dns_server_queries_total\{transport="tcp",rcode="refused"\} [1-9]/);
  expect(text).toMatch(/nameplate_dns_server_queries_total\{transport="udp",rcode="notimp"\} 1\n/);
  expect(text.match(/nameplate_dns_server_queries_total\{/g)?.length).toBe(14);
});

test('a port that another program has, over TCP or over UDP, is refused at the start in one line that names the setting', async () => {
  const isRefused = (address: string) =>
    expect(start({ NAMEPLATE_ROLES: 'dns', NAMEPLATE_DNS_LISTEN: address })).rejects.toThrow(
      `${address} is in use by another program. Stop it, or set NAMEPLATE_DNS_LISTEN`,
    );
  await isRefused(dns);
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  await isRefused(`127.0.0.1:${other.address().port}`);
});

test('doctor knows the port of a DNS server of ours from that of another program', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const ports = [Number(new URL(`dns://${dns}`).port), (other.address() as AddressInfo).port];
  const dnsListen = ports.map((port) => ({ host: '127.0.0.1', port }));
  const results = await examineListeners({ roles: ['dns'], dnsListen }, false);
  expect(results.map(({ level, found }) => `${level} ${found}`)).toEqual([
    `ok Nameplate is already running at ${dns}`,
    expect.stringContaining(`fail cannot listen on 127.0.0.1:${ports[1]}`),
  ]);
});

test('a node that is started without its database answers addresses, and says of challenges that it cannot', async () => {
  const alone = await start({
    NAMEPLATE_ROLES: 'dns',
    NAMEPLATE_DATABASE_URL: 'postgres://np@127.0.0.1:1/np',
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
  });
  onTestFinished(() => alone.stop());
  const at = alone.dns?.[0] ?? '';
  expect(await answersOf(at, { name: TARGET, type: 'A' })).toEqual(['192.0.2.10']);
  expect(await answersOf(at, { name: CHALLENGE, type: 'TXT' })).toBe('SERVFAIL');
});

test('a thread that dies is replaced, and answers the challenges that there were', async () => {
  const workers: Worker[] = [];
  const onWorker = (message: unknown) => void workers.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', onWorker);
  const other = await start({ NAMEPLATE_ROLES: 'dns' });
  onTestFinished(async () => {
    unsubscribe('worker_threads', onWorker);
    await other.stop();
  });
  const at = other.dns?.[0] ?? '';
  await other.store.addDnsChallenge({ label: LABEL, value: 'kept', expiresAt: Date.now() + 60_000 });
  await answers(CHALLENGE, 'TXT', ['kept'], at);
  const thread = workers.find((worker) => (worker as Worker & { threadName: string }).threadName === 'dns');
  await thread?.terminate();
  await answers(CHALLENGE, 'TXT', ['kept'], at);
  expect(await answersOf(at, { name: CHALLENGE, type: 'TXT', transport: 'tcp' })).toEqual(['kept']);
  await other.store.removeDnsChallenge(LABEL, 'kept');
});
