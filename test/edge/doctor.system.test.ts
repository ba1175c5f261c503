import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { examineEdge } from '../../server/src/cli/doctor/examine-edge.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import type { Database } from '../../server/src/store/database.ts';
import { type Harness, startHarness } from './harness.ts';

/** The edge is at 127.0.0.1, another server at 127.0.0.2, one that redirects at 127.0.0.3, and nothing at 127.0.0.4. */
let edge: Harness;
let dns: Simulator;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  edge = await startHarness({ selfCheckName: 'doctor.cname.test' });
  await serve('127.0.0.2', (_, response) => response.end('Welcome to nginx!'));
  await serve('127.0.0.3', ({ headers }, response) =>
    response.writeHead(301, { location: `https://${headers.host?.split(':')[0]}/` }).end(),
  );
});
afterAll(async () => {
  for (const close of closing) close();
  await edge.close();
  await dns.close();
});

async function serve(host: string, answer: RequestListener): Promise<void> {
  const server = createServer(answer).listen(edge.httpPort, host);
  await once(server, 'listening');
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
}

interface About {
  wildcard?: string[];
  listed?: string[];
  edgesOnly?: boolean;
  mayDial?: (address: string) => boolean;
  database?: Pick<Database, 'open'>;
}

async function examine({ wildcard = [], listed = [], ...about }: About) {
  dns.remove('*.cname.test');
  if (wildcard.length > 0) dns.set('*.cname.test', 'A', wildcard);
  const findings = await examineEdge({
    cnameZone: 'cname.test',
    edgeAddresses: listed,
    resolvers: [{ address: dns.address, port: dns.port }],
    database: { open: async () => ({ ...edge.store, close: async () => {} }) },
    mayDial: () => true,
    edgesOnly: true,
    clock: edge.clock,
    ports: { http: edge.httpPort, https: edge.httpsPort },
    ...about,
  });
  for (const { level, advice } of findings) expect(advice === undefined).toBe(level === 'ok');
  return findings.map(({ level, found }) => `${level}: ${found}`);
}

test('every address of the wildcard and of NAMEPLATE_EDGE_ADDRESSES is checked once, and named with where it is from', async () => {
  expect(await examine({ wildcard: ['127.0.0.1'], listed: ['127.0.0.1', '127.0.0.2'] })).toEqual([
    'ok: 127.0.0.1 (*.cname.test and NAMEPLATE_EDGE_ADDRESSES) leads to the edge',
    'fail: 127.0.0.2 (NAMEPLATE_EDGE_ADDRESSES) does not lead to an edge with this store: HTTP 200, "Welcome to nginx!"',
  ]);
  expect(await examine({ listed: ['127.0.0.1'] })).toEqual([
    'ok: 127.0.0.1 (NAMEPLATE_EDGE_ADDRESSES) leads to the edge',
  ]);
  expect(await examine({})).toEqual([]);
});

test('an address where nothing answers fails beside one that leads to the edge, and is a warning while no edge answers', async () => {
  expect(await examine({ wildcard: ['127.0.0.1', '127.0.0.4'] })).toEqual([
    expect.stringMatching(/^ok: 127\.0\.0\.1/),
    expect.stringMatching(/^fail: nothing answers at 127\.0\.0\.4 \(\*\.cname\.test\), port \d+: /),
  ]);
  expect(await examine({ wildcard: ['127.0.0.4'] })).toEqual([
    expect.stringMatching(/^warn: nothing answers at 127\.0\.0\.4/),
  ]);
});

test('another server is a warning where the operator may serve the names without the edge', async () => {
  expect(await examine({ wildcard: ['127.0.0.2', '127.0.0.3'], edgesOnly: false })).toEqual([
    expect.stringMatching(/^warn: 127\.0\.0\.2 .* does not lead to an edge with this store: HTTP 200/),
    expect.stringMatching(/^warn: 127\.0\.0\.3 .* does not lead to an edge with this store: it redirects to /),
  ]);
});

test('an edge with another store is another server', async () => {
  const database = { open: async () => ({ ...edge.store, putChallenge: async () => {}, close: async () => {} }) };
  const about = { wildcard: ['127.0.0.1'], database };
  expect(await examine(about)).toEqual([expect.stringMatching(/^fail: 127\.0\.0\.1 .*: HTTP 404/)]);
});

test('an internal address fails, unless its network is allowed, and is not connected to', async () => {
  expect(await examine({ wildcard: ['127.0.0.1'], mayDial: addressRule() })).toEqual([
    'fail: 127.0.0.1 (*.cname.test) is a special address, which no certificate authority on the Internet reaches',
  ]);
  expect(await examine({ wildcard: ['127.0.0.1'], mayDial: addressRule(['127.0.0.0/8']) })).toEqual([
    expect.stringMatching(/^ok: /),
  ]);
});

test('any number of addresses is checked, at most 24', async () => {
  const listed = Array.from({ length: 30 }, (_, at) => `127.0.1.${at + 1}`);
  expect(await examine({ listed })).toHaveLength(24);
});
