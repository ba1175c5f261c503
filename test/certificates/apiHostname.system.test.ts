import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../server/src/store/store.ts';
import { overHttp } from '../edge/harness.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import type { Server } from '../support/server-process.ts';
import { until } from '../support/server-site.ts';
import { addName, expectServed, nameOf } from './live/names.ts';
import { createIssuingSite, GREETING, type IssuingSite } from './live/site.ts';
import { visit } from './live/visitor.ts';

/**
 * The API under a name of its own (`NAMEPLATE_API_HOSTNAME`), with a certificate of pebble, beside the names of
 * customers.
 */

const API = 'api.platform.test';
const CUSTOMER = nameOf(0);

let site: IssuingSite;
let node: Server;
let store: Store;
let apiPort: number;

beforeAll(async () => {
  apiPort = await freePort();
  site = await createIssuingSite({
    env: {
      NAMEPLATE_API_HOSTNAME: API,
      NAMEPLATE_LISTEN: `127.0.0.1:${apiPort}`,
      // Clients are judged by their own addresses here, of loopback.
      NAMEPLATE_EDGE_TRUSTED_PROXIES: '',
    },
  });
  site.dns.set(API, 'A', ['127.0.0.1']);
  node = await site.serve();
  store = await site.open();
  await addName(site, CUSTOMER);
  for (const name of [API, CUSTOMER])
    await until(`${name} has its certificate`, async () => (await store.findCertificate(name))?.state === 'issued');
}, START_LIMIT_MS);
afterAll(async () => {
  await store.close();
  await site.close();
});

interface Asking {
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** The client's address. */
  from?: string;
}

/** Asks the API by its name, as a client with this address. */
function askApi({ path, body, headers = {}, from = '127.0.0.1' }: Asking): Promise<{ status: number; body: string }> {
  const to = { host: '127.0.0.1', port: node.httpsPort ?? 0, servername: API, localAddress: from };
  const given = { host: API, authorization: `Bearer ${site.tenant.key}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({
      ...to,
      path,
      method,
      ca: site.pebble.issuingRoots,
      agent: false,
      headers: { ...given, ...headers },
    });
    sent.once('response', (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
    });
    sent.once('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

const getDomain = (about: Partial<Asking> = {}) =>
  askApi({ path: '/v2/domains.getDomain', body: { domain: CUSTOMER }, ...about });

describe("the API's own name", () => {
  test('answers over HTTPS with a certificate of its own, ordered without a domain, while names of customers are served', async () => {
    expect((await visit(site, API)).certificate.subjectAltName).toBe(`DNS:${API}`);
    expect(await store.findCertificate(API)).toMatchObject({ domainId: 'operator' });
    const { status, body } = await getDomain();
    expect([status, JSON.parse(body).data]).toMatchObject([200, { domain: CUSTOMER, status: 'verified' }]);
    await expectServed(site, store, CUSTOMER);
    // An edge that has looked before the certificate was there follows within a second.
    await until('HTTP redirects to it', async () => {
      const { status, headers } = await overHttp({ port: node.httpPort ?? 0, hostname: API, path: '/docs' });
      return status === 308 && headers.location === `https://${API}:${site.https.port}/docs`;
    });
  });

  test('streams', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const to = { host: '127.0.0.1', port: node.httpsPort ?? 0, servername: API, ca: site.pebble.issuingRoots };
    const about = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const headers = { host: API, authorization: `Bearer ${site.tenant.key}`, ...about };
    const sent = request({ ...to, agent: false, path: '/v2/domains.watchDomain', method: 'POST', headers });
    sent.once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream was refused: ${response.statusCode}`));
      response.setEncoding('utf8').once('data', resolve);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ domain: CUSTOMER }));
    expect(await promise).toContain('retry:');
    sent.destroy();
  });

  test('failures count for the address of the client alone, whatever it claims', async () => {
    const failing = (from: string) => getDomain({ from, headers: { authorization: 'Bearer nonsense' } });
    const forged = { 'x-forwarded-for': '127.9.9.9', 'x-real-ip': '127.9.9.9', 'x-forwarded-by-edge': 'guessed' };
    const guess = async () =>
      (await getDomain({ from: '127.0.0.7', headers: { ...forged, authorization: 'Bearer nonsense' } })).status;
    for (let i = 0; i < 300; i += 1) expect(await guess()).toBe(401);
    // The slower the machine, the more are forgiven meanwhile.
    let last = await guess();
    for (let i = 0; last === 401 && i < 3000; i += 1) last = await guess();
    expect(last).toBe(429);
    for (const other of ['127.0.0.8', '127.9.9.9', '127.0.0.1']) expect((await failing(other)).status).toBe(401);
  }, 120_000);

  test('leads to the API alone: not to metrics, and not to the listener for a program in front', async () => {
    for (const path of ['/metrics', `/edge/certificate?server_name=${CUSTOMER}`, `/edge/ask?domain=${CUSTOMER}`]) {
      const { status, body } = await askApi({ path });
      expect([status, JSON.parse(body).error.type], path).toEqual([404, 'not-found']);
    }
    expect((await askApi({ path: 'http://127.0.0.1:7071/metrics' })).status).toBe(421);
    // The name of a customer does not lead to the API.
    expect((await visit(site, CUSTOMER)).body).toBe(GREETING);
  });

  test('is reserved, with everything below it', async () => {
    const place = { project: 'ppp', app: 'aaa', environment: 'eee' };
    for (const domain of [API, `shop.${API}`]) {
      const { status, body } = await askApi({ path: '/v2/domains.createDomain', body: { ...place, domain } });
      expect([status, JSON.parse(body).error.type], domain).toEqual([403, 'forbidden']);
    }
  });

  test('serve does not start while a domain has it, and names that domain', async () => {
    const taken = nameOf(0);
    const { id } = (await store.findDomainByName(site.tenant.workspaceId, taken)) ?? { id: '' };
    await site.end(node, 'stop');
    site.env.NAMEPLATE_API_HOSTNAME = taken;
    try {
      await expect(site.serve()).rejects.toThrow(
        new RegExp(`the domain ${id} of the workspace ${site.tenant.workspaceId}`),
      );
    } finally {
      site.env.NAMEPLATE_API_HOSTNAME = API;
      node = await site.serve();
    }
    expect((await getDomain()).status).toBe(200);
  });
});
