import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { takeOver } from '../support/certificates.ts';
import { plant, unique } from '../support/entities.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

const MINUTE_MS = 60_000;

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Another workspace proves that the name is its own. Its environment has an origin that answers with `text`. */
async function takenOver({ domain: incumbent }: Site, text: string): Promise<Domain> {
  const { environment } = await plant(edge.store);
  await edge.deploy(environment, await edge.addOrigin((_, response) => response.end(text)));
  return takeOver(edge.store, environment, incumbent, edge.clock.now());
}

async function certify(hostname: string): Promise<string> {
  const { serial, ...issued } = issue(hostname);
  await edge.store.importCertificate(hostname, issued, edge.clock.now());
  return serial;
}

describe('a new deployment', () => {
  it('takes all traffic once the change feed has it, without a dropped request or one to the old deployment afterwards', async () => {
    const addOrigin = (text: string) =>
      edge.addOrigin((asked, response) => asked.resume().on('end', () => setTimeout(() => response.end(text), 5)));
    const { hostname, environment } = await edge.addSite({ origin: await addOrigin('first') });
    const answers: { text: string; status: number; began: number }[] = [];
    let stopped = false;
    async function ask(over: typeof overHttps): Promise<void> {
      while (!stopped) {
        const began = performance.now();
        const { text, status } = await over({ port: edge.httpsPort, hostname, method: 'POST', body: 'x'.repeat(1000) });
        answers.push({ text, status, began });
      }
    }
    const asking = [overHttps, overHttps, overHttp2, overHttp2].map(ask);
    for (const text of ['second', 'third', 'fourth']) {
      const soFar = answers.length;
      await until(() => answers.length > soFar + 10);
      await edge.deploy(environment, await addOrigin(text));
      // The news come by themselves, three times a second.
      await edge.heard();
      const heard = performance.now();
      await until(() => (answers.at(-1)?.began ?? 0) > heard);
      const old = answers.filter((answer) => answer.text !== text);
      expect(Math.max(...old.map(({ began }) => began))).toBeLessThan(heard);
    }
    stopped = true;
    await Promise.all(asking);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('a certificate that is replaced', () => {
  it('is served from the next handshake on, and open connections stay open', async () => {
    const { hostname, serial } = await edge.addSite();
    const open = await handshake(edge.httpsPort, { servername: hostname });
    expect(open.getPeerX509Certificate()?.serialNumber).toBe(serial);
    const renewed = await certify(hostname);
    await edge.heard();
    const next = await handshake(edge.httpsPort, { servername: hostname });
    expect(next.getPeerX509Certificate()?.serialNumber).toBe(renewed);
    open.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    expect(String(await once(open, 'data'))).toContain('HTTP/1.1 200');
    for (const socket of [open, next]) socket.destroy();
  });
});

describe('a name that another workspace takes over', () => {
  it('is served by the new one only, at once: with the certificate that it has, until there is a new one', async () => {
    const site = await edge.addSite();
    const { hostname } = site;
    expect((await overHttps({ port: edge.httpsPort, hostname })).status).toBe(200);
    await takenOver(site, 'the new one');
    await edge.heard();
    const before = await handshake(edge.httpsPort, { servername: hostname });
    expect(before.getPeerX509Certificate()?.serialNumber).toBe(site.serial);
    before.destroy();
    expect((await overHttps({ port: edge.httpsPort, hostname })).text).toBe('the new one');
    expect((await overHttp({ port: edge.httpPort, hostname })).status).toBe(308);
    const serial = await certify(hostname);
    await edge.heard();
    const after = await handshake(edge.httpsPort, { servername: hostname });
    expect(after.getPeerX509Certificate()?.serialNumber).toBe(serial);
    after.destroy();
    expect((await overHttps({ port: edge.httpsPort, hostname })).text).toBe('the new one');
  });

  it('has no certificate once that has expired, until there is a new one', async () => {
    const site = await edge.addSite({ certified: false });
    const { hostname } = site;
    const { serial: _, ...issued } = issue(hostname, { notAfter: Date.now() + MINUTE_MS });
    await edge.store.importCertificate(hostname, issued, edge.clock.now());
    await takenOver(site, 'the new one');
    await edge.heard();
    (await handshake(edge.httpsPort, { servername: hostname })).destroy();
    edge.clock.advance(MINUTE_MS);
    await expect(handshake(edge.httpsPort, { servername: hostname })).rejects.toThrow(/internal error/i);
    expect((await overHttp({ port: edge.httpPort, hostname })).status).toBe(503);
    await certify(hostname);
    await edge.heard();
    (await handshake(edge.httpsPort, { servername: hostname })).destroy();
  });

  it('is not served by either before the new one has a certificate, where the old one was imported', async () => {
    const site = await edge.addSite({ certified: false });
    const { hostname } = site;
    const { serial: _, ...issued } = issue(hostname);
    await edge.store.importCertificate(hostname, { ...issued, issuer: 'imported' }, edge.clock.now());
    await takenOver(site, 'the new one');
    await edge.heard();
    await expect(handshake(edge.httpsPort, { servername: hostname })).rejects.toThrow(/internal error/i);
  });

  it('is served by the new one on connections that were already open, too', async () => {
    const site = await edge.addSite();
    const open = await handshake(edge.httpsPort, { servername: site.hostname });
    await takenOver(site, 'the new one');
    await edge.heard();
    open.write(`GET / HTTP/1.1\r\nHost: ${site.hostname}\r\n\r\n`);
    expect(String(await once(open, 'data'))).toContain('the new one');
    open.destroy();
  });
});

describe('a domain that is deleted', () => {
  it('is no longer served, neither on new connections nor on open ones', async () => {
    const { hostname, domain } = await edge.addSite();
    const open = await handshake(edge.httpsPort, { servername: hostname });
    await edge.store.deleteDomain(domain.workspaceId, domain.id, edge.clock.now());
    await edge.heard();
    await expect(handshake(edge.httpsPort, { servername: hostname })).rejects.toThrow(/unrecognized name/i);
    expect((await overHttp({ port: edge.httpPort, hostname })).status).toBe(404);
    open.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
    expect(String(await once(open, 'data'))).toContain('HTTP/1.1 404');
    open.destroy();
  });
});

const endings: [string, (site: Site) => Promise<unknown>][] = [
  ['deleted', ({ domain }) => edge.store.deleteDomain(domain.workspaceId, domain.id, edge.clock.now())],
  ['suspended', ({ domain }) => edge.store.suspendDomain(domain.workspaceId, domain.id, 503, edge.clock.now())],
  [
    'suspended with its workspace',
    ({ domain }) =>
      edge.store.setWorkspaceSuspension(domain.workspaceId, { status: 451, suspendedAt: edge.clock.now() }),
  ],
];

describe.for(endings)('a domain that is %s', ([, end]) => {
  it('has its responses and tunnels in flight aborted, and no others', async () => {
    const origin = await startEndless();
    try {
      const sites = [await edge.addSite({ origin: origin.url }), await edge.addSite({ origin: origin.url })];
      const open = await Promise.all(sites.flatMap(({ hostname }) => [stream(hostname), tunnel(hostname)]));
      const [ending, kept] = sites;
      if (ending === undefined || kept === undefined) throw new Error('there are two sites');
      const ended = open.slice(0, 2).map((socket) => once(socket, 'close'));
      // A deployment ends nothing.
      for (const { environment } of sites) await edge.deploy(environment, 'http://127.0.0.1:1');
      await edge.heard();
      await end(ending);
      await edge.heard();
      await Promise.all(ended);
      expect(open.slice(2).map((socket) => socket.destroyed)).toEqual([false, false]);
      for (const socket of open) socket.destroy();
    } finally {
      origin.close();
    }
  });
});

describe('a domain that is moved to another environment', () => {
  it('is served by it without a dropped request, and requests in flight end where they began', async () => {
    const site = await edge.addSite({ origin: await edge.addOrigin((_, response) => response.end('old')) });
    const { hostname, domain, environment } = site;
    const slow = await startEndless();
    await edge.deploy(environment, slow.url);
    await edge.heard();
    const open = await stream(hostname);
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('old')));
    const elsewhere = { ...environment, id: unique('env'), slug: unique('staging'), currentDeploymentId: null };
    await edge.store.createEnvironment(elsewhere);
    await edge.deploy(elsewhere, await edge.addOrigin((_, response) => response.end('new')));
    await edge.heard();

    const answers: { text: string; status: number; began: number }[] = [];
    let stopped = false;
    async function ask(over: typeof overHttps): Promise<void> {
      while (!stopped) {
        const began = performance.now();
        const { text, status } = await over({ port: edge.httpsPort, hostname });
        answers.push({ text, status, began });
      }
    }
    const asking = [overHttps, overHttp2].map(ask);
    await until(() => answers.length > 10);
    expect(await edge.store.moveDomain(domain.id, elsewhere, edge.clock.now())).toMatchObject({ kind: 'moved' });
    await edge.heard();
    const heard = performance.now();
    await until(() => (answers.at(-1)?.began ?? 0) > heard);
    stopped = true;
    await Promise.all(asking);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.filter(({ began }) => began > heard).map(({ text }) => text))).toEqual(new Set(['new']));
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['old', 'new']));
    expect(open.destroyed).toBe(false);
    open.destroy();
    slow.close();
  });
});

/** An origin whose answers begin and never end, and which agrees to WebSocket. */
async function startEndless() {
  const server = createServer((_, response) => void response.write('begun\n'));
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbegun');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function stream(hostname: string) {
  const socket = await handshake(edge.httpsPort, { servername: hostname });
  socket.on('error', () => {});
  socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

async function tunnel(hostname: string) {
  const socket = await handshake(edge.httpsPort, { servername: hostname });
  const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', ...key };
  const asking = request({ createConnection: () => socket, headers: { host: hostname, ...upgrade } });
  asking.end();
  await once(asking, 'upgrade');
  socket.on('error', () => {}).resume();
  return socket;
}
