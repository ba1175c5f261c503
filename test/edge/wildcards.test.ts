import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verify } from '../support/certificates.ts';
import { plant, unique } from '../support/entities.ts';
import { issue, ROOT } from './authority.ts';
import {
  type Answer,
  type Harness,
  handshake,
  overHttp,
  overHttp2,
  overHttps,
  type Site,
  startHarness,
} from './harness.ts';

const UNKNOWN_PER_MINUTE = 10;

let edge: Harness;
let askPort: number;
beforeAll(async () => {
  edge = await startHarness({
    askEndpoint: { host: '127.0.0.1', port: 0 },
    limits: { unknownPerMinute: UNKNOWN_PER_MINUTE },
  });
  askPort = Number(edge.edge.askEndpoint?.split(':').at(-1));
});
beforeEach(() => edge.clock.advance(60_000));
afterAll(() => edge.close());

/** A wildcard domain with a certificate, and the name below which it is. */
async function addWildcard(about: Parameters<Harness['addSite']>[0] = {}): Promise<Site & { base: string }> {
  const base = `${unique('shops')}.example.com`;
  const site = await edge.addSite({ hostname: `*.${base}`, ...about });
  await edge.heard();
  return { ...site, base };
}

/** A site whose origin says only `text`. */
async function addText(hostname: string, text: string, about: Parameters<Harness['addSite']>[0] = {}): Promise<Site> {
  const origin = await edge.addOrigin((_, response) => response.end(text));
  const site = await edge.addSite({ hostname, origin, ...about });
  await edge.heard();
  return site;
}

const get = (hostname: string, path = '/') => overHttps({ port: edge.httpsPort, hostname, path });
const lookups = () => edge.metric('nameplate_edge_lookups_total{kind="site"}');
const front = (path: string) => overHttp({ port: askPort, hostname: `127.0.0.1:${askPort}`, path });

async function serialAt(hostname: string): Promise<string | undefined> {
  const socket = await handshake(edge.httpsPort, { servername: hostname });
  const serial = socket.getPeerX509Certificate()?.serialNumber;
  socket.destroy();
  return serial;
}

describe('a wildcard domain', () => {
  it('serves every name one label below it, each as its own, and neither its base name nor names further below', async () => {
    const { base, serial } = await addWildcard();
    for (const name of [`a.${base}`, `${'x'.repeat(63)}.${base}`, `_b.${base}`]) {
      const { method, headers } = JSON.parse((await get(name)).text);
      expect([method, headers.host, headers['x-forwarded-host']]).toEqual(['GET', name, name]);
      expect(await serialAt(name)).toBe(serial);
      const plain = await overHttp({ port: edge.httpPort, hostname: name, path: '/a?b' });
      expect([plain.status, plain.headers.location]).toEqual([308, `https://${name}/a?b`]);
    }
    for (const name of [base, `a.b.${base}`])
      await expect(handshake(edge.httpsPort, { servername: name })).rejects.toThrow(/unrecognized name/i);
    expect((await overHttp({ port: edge.httpPort, hostname: `*.${base}` })).status).toBe(404);
  });

  it('has its settings, redirect, pages and usage at every name below it', async () => {
    const site = await addWildcard({ origin: null });
    const { domain, base } = site;
    expect((await get(`a.${base}`)).status).toBe(503);
    const { store, clock } = edge;
    const own = await edge.addOrigin((_, response) => response.end('its own origin'));
    const settings = { origin: own, hsts: { maxAge: 60 }, minTlsVersion: '1.3' } as const;
    await store.updateDomain(domain.workspaceId, domain.id, { settings }, clock.now());
    await edge.heard();
    const answer = await get(`b.${base}`);
    expect([answer.text, answer.headers['strict-transport-security']]).toEqual(['its own origin', 'max-age=60']);
    await expect(handshake(edge.httpsPort, { servername: `b.${base}`, maxVersion: 'TLSv1.2' })).rejects.toThrow();

    const shop = await edge.addSite({ environment: site.environment, origin: null });
    const redirect = { domainId: domain.id, destinationId: shop.domain.id, status: 308 } as const;
    await store.setRedirect(domain.workspaceId, redirect, clock.now());
    await edge.heard();
    const moved = await get(`c.${base}`, '/x?y');
    const location = `https://${shop.hostname}/x?y`;
    expect([moved.status, moved.headers.location]).toEqual([308, location]);
    await store.suspendDomain(domain.workspaceId, domain.id, 451, clock.now());
    await edge.heard();
    expect((await get(`c.${base}`)).status).toBe(451);

    await edge.edge.flushUsage();
    const counted = await store.findUsageDomain(domain.workspaceId, domain.id);
    const hours = await store.findUsage(counted?.number ?? 0, { from: 0, to: Number.MAX_SAFE_INTEGER });
    expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(4);
  });

  it('is no destination of a redirect', async () => {
    const { domain, environment } = await addWildcard();
    const from = await edge.addSite({ environment });
    const redirect = { domainId: from.domain.id, destinationId: domain.id, status: 308 } as const;
    expect(await edge.store.setRedirect(domain.workspaceId, redirect, edge.clock.now())).toMatchObject({
      kind: 'refused',
      refusal: 'wildcard',
    });
  });

  it('answers the challenges of the names below it', async () => {
    const { base } = await addWildcard();
    const challenge = { hostname: `a.${base}`, token: 'x'.repeat(43), keyAuthorization: 'x.y' };
    await edge.store.putChallenge({ ...challenge, expiresAt: edge.clock.now() + 60_000 });
    const path = `/.well-known/acme-challenge/${challenge.token}`;
    const ask = async (hostname: string) => (await overHttp({ port: edge.httpPort, hostname, path })).text;
    expect(await ask(`a.${base}`)).toBe('x.y');
    expect(await ask(`b.${base}`)).not.toContain('x.y');
  });
});

describe('a name with a domain of its own', () => {
  it('is served by that, whichever was first, and by the wildcard before and after, as soon as the change feed has it', async () => {
    const { base } = await addWildcard({ origin: await edge.addOrigin((_, response) => response.end('wildcard')) });
    const name = `shop.${base}`;
    expect((await get(name)).text).toBe('wildcard');
    const { domain } = await addText(name, 'exact');
    expect([(await get(name)).text, (await get(`other.${base}`)).text]).toEqual(['exact', 'wildcard']);
    await edge.store.deleteDomain(domain.workspaceId, domain.id, edge.clock.now());
    await edge.heard();
    expect((await get(name)).text).toBe('wildcard');

    const later = `${unique('later')}.example.com`;
    await addText(`shop.${later}`, 'exact');
    const miss = (label: string) => overHttp({ port: edge.httpPort, hostname: `${label}.${later}` });
    expect([(await get(`shop.${later}`)).text, (await miss('other')).status]).toEqual(['exact', 404]);
    const wildcard = await addText(`*.${later}`, 'wildcard');
    expect([(await get(`shop.${later}`)).text, (await get(`other.${later}`)).text]).toEqual(['exact', 'wildcard']);
    await edge.store.deleteDomain(wildcard.domain.workspaceId, wildcard.domain.id, edge.clock.now());
    await edge.heard();
    expect([(await get(`shop.${later}`)).text, (await miss('other')).status]).toEqual(['exact', 404]);
  });

  it('that is suspended or has no deployment shows its page, and is never served by the wildcard', async () => {
    const { base } = await addWildcard();
    const name = `shop.${base}`;
    const { domain } = await addText(name, 'exact', { origin: null });
    expect((await get(name)).status).toBe(503);
    await edge.store.suspendDomain(domain.workspaceId, domain.id, 451, edge.clock.now());
    await edge.heard();
    for (const over of [overHttps, overHttp2])
      expect((await over({ port: edge.httpsPort, hostname: name })).status).toBe(451);
    expect((await overHttp({ port: edge.httpPort, hostname: name })).status).toBe(451);
    expect((await get(`other.${base}`)).status).toBe(200);
  });

  it('is served with the certificate of the wildcard until it has its own, and no longer than the wildcard is there', async () => {
    const { base, serial, domain } = await addWildcard();
    const name = `shop.${base}`;
    await addText(name, 'exact', { certified: false });
    expect([(await get(name)).text, await serialAt(name)]).toEqual(['exact', serial]);
    const { serial: renewedSerial, ...renewed } = issue(`*.${base}`);
    await edge.store.importCertificate(`*.${base}`, renewed, edge.clock.now());
    await edge.heard();
    expect(await serialAt(name)).toBe(renewedSerial);
    await edge.store.deleteDomain(domain.workspaceId, domain.id, edge.clock.now());
    await edge.heard();
    await expect(serialAt(name)).rejects.toThrow(/internal error/i);
    const { serial: ownSerial, ...own } = issue(name);
    await edge.store.importCertificate(name, own, edge.clock.now());
    await edge.heard();
    expect(await serialAt(name)).toBe(ownSerial);
  });

  it('gets no certificate of the wildcard that was imported, since others may have its key', async () => {
    const { base } = await addWildcard({ certified: false });
    const { serial: _, ...imported } = issue(`*.${base}`);
    await edge.store.importCertificate(`*.${base}`, { ...imported, issuer: 'imported' }, edge.clock.now());
    await addText(`shop.${base}`, 'exact', { certified: false });
    await expect(serialAt(`shop.${base}`)).rejects.toThrow(/internal error/i);
  });

  it('ends what is in flight to the wildcard at that name, and nothing at others', async () => {
    const origin = await edge.addOrigin((_, response) => void response.write('begun'));
    const { base } = await addWildcard({ origin });
    const open = async (hostname: string) => {
      const socket = await handshake(edge.httpsPort, { servername: hostname });
      socket.on('error', () => {}).write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      await once(socket, 'data');
      return socket;
    };
    const [shop, other] = [await open(`shop.${base}`), await open(`other.${base}`)];
    const closed = once(shop, 'close');
    await addText(`shop.${base}`, 'exact');
    await closed;
    expect(other.destroyed).toBe(false);
    other.destroy();
  });
});

describe('one connection', () => {
  /** Requests for several hosts on one HTTP/2 connection for one name. */
  async function statusesOn(servername: string, hosts: string[]): Promise<number[]> {
    const socket = connectTls({ port: edge.httpsPort, host: '127.0.0.1', servername, ca: ROOT, ALPNProtocols: ['h2'] });
    const session = connectHttp2(`https://${servername}`, { createConnection: () => socket });
    const ask = async (host: string) => {
      const stream = session.request({ ':authority': host });
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
      stream.resume();
      await once(stream, 'close');
      return headers[':status'];
    };
    try {
      return await Promise.all(hosts.map(ask));
    } finally {
      session.close();
    }
  }

  it('is for all names that the same wildcard serves, as browsers use it, and for no name with a domain of its own', async () => {
    const [{ base }, other] = [await addWildcard(), await addWildcard()];
    await addText(`shop.${base}`, 'exact');
    const hosts = [`b.${base}`, `shop.${base}`, base, `x.y.${base}`, `a.${other.base}`, `*.${base}`, other.base];
    expect(await statusesOn(`a.${base}`, hosts)).toEqual([200, 421, 421, 421, 421, 421, 421]);
    expect(await statusesOn(`shop.${base}`, [`shop.${base}`, `b.${base}`])).toEqual([200, 421]);
    // Also over HTTP/1.1.
    const mixed = (hostname: string) => overHttps({ port: edge.httpsPort, servername: `a.${base}`, hostname });
    expect([(await mixed(`b.${base}`)).status, (await mixed(`shop.${base}`)).status]).toEqual([200, 421]);
  });

  it('that has the certificate of the wildcard for a name of its own is for that name alone', async () => {
    const { base } = await addWildcard();
    await addText(`shop.${base}`, 'exact', { certified: false });
    expect(await statusesOn(`shop.${base}`, [`shop.${base}`, `b.${base}`])).toEqual([200, 421]);
    expect(await statusesOn(`b.${base}`, [`shop.${base}`])).toEqual([421]);
  });

  it.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
    'of %s is resumed by its name, and not by one with a domain of its own',
    async (maxVersion) => {
      const { base } = await addWildcard();
      await addText(`b.${base}`, 'exact');
      const begin = async (servername: string, session?: Buffer) => {
        const socket = await handshake(edge.httpsPort, { servername, maxVersion, ...(session && { session }) });
        const isResumed = socket.isSessionReused();
        const sessions: (Buffer | undefined)[] = [socket.getSession()];
        socket.on('session', (ticket: Buffer) => void sessions.push(ticket));
        let heard = '';
        socket.on('data', (chunk: Buffer) => {
          heard += chunk;
        });
        socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
        await once(socket, 'close');
        expect(heard).toContain('HTTP/1.1 200');
        return { isResumed, session: Buffer.from(sessions.at(-1) ?? '') };
      };
      const { session } = await begin(`a.${base}`);
      expect((await begin(`a.${base}`, session)).isResumed).toBe(true);
      const forged = Buffer.from(session.toString('latin1').replaceAll(`a.${base}`, `b.${base}`), 'latin1');
      expect((await begin(`b.${base}`, forged)).isResumed).toBe(false);
      // A sibling that the wildcard serves is served, whether OpenSSL resumes the session or not.
      const sibling = Buffer.from(session.toString('latin1').replaceAll(`a.${base}`, `c.${base}`), 'latin1');
      await begin(`c.${base}`, sibling);
    },
  );
});

describe('random names below a wildcard', () => {
  it('cost no read of the store, one TLS context and one cache entry, and count as unknown for nobody', async () => {
    const { base } = await addWildcard();
    await addText(`shop.${base}`, 'exact');
    await get(`first.${base}`);
    const what = async (name: string) => edge.metric(`nameplate_edge_open{what="${name}"}`);
    const before = [await lookups(), await what('sites'), await what('tls_contexts')];
    for (let i = 0; i < 20 * UNKNOWN_PER_MINUTE; i += 1) {
      const { status } = await overHttp({ port: edge.httpPort, hostname: `r${i}.${base}` });
      expect(status).toBe(308);
    }
    for (let i = 0; i < 2 * UNKNOWN_PER_MINUTE; i += 1) expect((await get(`t${i}.${base}`)).status).toBe(200);
    expect([await lookups(), await what('sites'), await what('tls_contexts')]).toEqual(before);
    expect((await get(`shop.${base}`)).text).toBe('exact');
  });

  it('cost one read together after the wildcard has changed', async () => {
    const { base, domain } = await addWildcard();
    await get(`first.${base}`);
    await edge.store.updateDomain(
      domain.workspaceId,
      domain.id,
      { settings: { hsts: { maxAge: 9 } } },
      edge.clock.now(),
    );
    await edge.heard();
    const before = await lookups();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => get(`r${i}.${base}`)));
    expect(new Set(answers.map(({ headers }) => headers['strict-transport-security']))).toEqual(new Set(['max-age=9']));
    expect(await lookups()).toBe(before + 1);
  });

  it('are served while the store is down; a name with a domain of its own that is not cached is not', async () => {
    const { base } = await addWildcard();
    await addText(`shop.${base}`, 'exact');
    await get(`first.${base}`);
    for (const state of ['away', 'hanging'] as const) {
      edge.setStore(state);
      try {
        expect((await get(`random.${base}`)).status).toBe(200);
        await expect(serialAt(`shop.${base}`)).rejects.toThrow(/internal error/i);
      } finally {
        edge.setStore('there');
        edge.clock.advance(2000);
      }
    }
  });
});

describe('a program in front', () => {
  it('gets the certificate and the origin of the wildcard, and may order none of its own for the names below', async () => {
    const { base } = await addWildcard({ origin: 'http://127.0.0.1:8081' });
    await addText(`shop.${base}`, 'exact');
    expect((await front(`/edge/certificate?server_name=a.${base}`)).text).toContain('PRIVATE KEY');
    const { headers } = await front(`/edge/route?domain=a.${base}`);
    expect(headers['x-nameplate-origin']).toBe('127.0.0.1:8081');
    const statusOf = async (answer: Promise<Answer>) => (await answer).status;
    expect(await statusOf(front(`/edge/ask?domain=a.${base}`))).toBe(404);
    expect(await statusOf(front(`/edge/ask?domain=shop.${base}`))).toBe(200);
    expect(await statusOf(front(`/edge/certificate?server_name=x.y.${base}`))).toBe(204);
  });
});

it('the own name of the API is never served by a wildcard above it', async () => {
  const base = `${unique('operator')}.example.com`;
  const own = await startHarness({
    api: { hostname: `api.${base}`, origin: 'http://127.0.0.1:1', networks: ['127.0.0.0/8'], secret: 's' },
  });
  try {
    const { environment } = await plant(own.store);
    await verify(own.store, environment, { name: `*.${base}`, at: own.clock.now() });
    const { serial: _, ...issued } = issue(`*.${base}`);
    await own.store.importCertificate(`*.${base}`, issued, own.clock.now());
    await own.heard();
    const connect = (label: string) => handshake(own.httpsPort, { servername: `${label}.${base}` });
    (await connect('shop')).destroy();
    await expect(connect('api')).rejects.toThrow(/unrecognized name/i);
  } finally {
    await own.close();
  }
});
