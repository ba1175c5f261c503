import { createHash, type X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readElements, readInside } from '../../server/src/certificates/x509/der.ts';
import { TLS_ALPN_TOKEN } from '../../server/src/domain/certificate-state.ts';
import { type Harness, overHttp, overHttps, startHarness } from './harness.ts';

/** TLS-ALPN-01 (RFC 8737) at a whole edge. */

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ limits: { unknownPerMinute: 40 } });
});
afterAll(() => edge.close());

const KEY_AUTHORIZATION = `${'t'.repeat(43)}.thumbprint`;
const ACME_ALONE = ['acme-tls/1'];

async function addChallenge(hostname: string, about: { keyAuthorization?: string; expiresAt?: number } = {}) {
  const challenge = { hostname, token: TLS_ALPN_TOKEN, keyAuthorization: KEY_AUTHORIZATION };
  await edge.store.putChallenge({ ...challenge, expiresAt: edge.clock.now() + 60_000, ...about });
}

async function handshake(servername: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const target = { port: edge.httpsPort, host: '127.0.0.1', rejectUnauthorized: false };
  const socket = connect({ ...target, servername, ALPNProtocols: ACME_ALONE, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** The extensions of a certificate: type and value in hexadecimal, and whether each is critical. */
function extensionsOf(certificate: X509Certificate) {
  const content = readInside(certificate.raw)[0]?.content ?? Buffer.alloc(0);
  const extensions = readElements(content).find(({ tag }) => tag === 0xa3)?.content ?? Buffer.alloc(0);
  return readInside(extensions).map(({ content: one }) => {
    const [type, ...rest] = readElements(one);
    return { type: type?.content.toString('hex'), critical: rest.length === 2, value: rest.at(-1)?.content };
  });
}

/** 1.3.6.1.5.5.7.1.31 */
const ACME_IDENTIFIER = '2b0601050507011f';

describe('a client that offers acme-tls/1 alone', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('gets the certificate of RFC 8737, over %s', async (version) => {
    const { hostname } = await edge.addSite({ certified: false, origin: null });
    await addChallenge(hostname);
    const socket = await handshake(hostname, { minVersion: version, maxVersion: version });
    expect(socket.alpnProtocol).toBe('acme-tls/1');
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error('no certificate');
    expect(certificate.subjectAltName).toBe(`DNS:${hostname}`);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toBe(certificate.issuer);
    const digest = createHash('sha256').update(KEY_AUTHORIZATION).digest();
    const [found, ...others] = extensionsOf(certificate).filter(({ type }) => type === ACME_IDENTIFIER);
    expect(others).toEqual([]);
    expect(found).toEqual({ type: ACME_IDENTIFIER, critical: true, value: Buffer.from([4, 32, ...digest]) });
    socket.destroy();
  });

  it('gets it in the place of a certificate that is in use, and nothing of HTTP', async () => {
    const { hostname } = await edge.addSite();
    await addChallenge(hostname);
    const socket = await handshake(hostname);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {});
    socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await once(socket, 'close');
    expect(Buffer.concat(received).toString()).toBe('');
    expect(await edge.metric('nameplate_edge_handshakes_total{outcome="challenge"}')).toBeGreaterThan(0);
  });

  it('gets the response to the latest challenge', async () => {
    const { hostname } = await edge.addSite();
    for (const keyAuthorization of ['one', 'two']) {
      await addChallenge(hostname, { keyAuthorization });
      const socket = await handshake(hostname);
      const digest = createHash('sha256').update(keyAuthorization).digest();
      expect(socket.getPeerX509Certificate()?.raw.includes(digest)).toBe(true);
      socket.destroy();
    }
  });

  it('is refused without a challenge, with an expired one, and with one of HTTP-01', async () => {
    const [bare, late, http] = [await edge.addSite(), await edge.addSite(), await edge.addSite()];
    await addChallenge(late.hostname, { expiresAt: edge.clock.now() - 1 });
    const challenge = { token: 'x'.repeat(43), keyAuthorization: 'x', expiresAt: edge.clock.now() + 60_000 };
    await edge.store.putChallenge({ hostname: http.hostname, ...challenge });
    for (const { hostname } of [bare, late, http])
      await expect(handshake(hostname)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' });
  });

  it('is refused at a name that is none of ours, whatever is in the store', async () => {
    await addChallenge('nobody.example.com');
    await expect(handshake('nobody.example.com')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' });
  });

  it('costs a limited number of reads a minute where there is no challenge', async () => {
    edge.clock.advance(60_000);
    const { hostname } = await edge.addSite();
    const lookups = () => edge.metric('nameplate_edge_lookups_total{kind="challenge"}');
    const before = await lookups();
    for (let i = 0; i < 60; i += 1) await handshake(hostname).catch(() => {});
    expect((await lookups()) - before).toBeLessThanOrEqual(40);
    edge.clock.advance(60_000);
  });
});

describe('while a challenge is open', () => {
  it('browsers, and clients that offer acme-tls/1 among others, are served as before', async () => {
    const { hostname, serial } = await edge.addSite();
    await addChallenge(hostname);
    expect((await overHttps({ port: edge.httpsPort, hostname })).status).toBe(200);
    for (const [ALPNProtocols, chosen] of [
      [['h2', 'http/1.1'], 'h2'],
      [['acme-tls/1', 'http/1.1'], 'http/1.1'],
      [['http/1.1', 'acme-tls/1'], 'http/1.1'],
    ] as const) {
      const socket = await handshake(hostname, { ALPNProtocols: [...ALPNProtocols] });
      expect(socket.alpnProtocol).toBe(chosen);
      expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
      socket.destroy();
    }
  });

  it('its response is not to be had over HTTP', async () => {
    const { hostname } = await edge.addSite();
    await addChallenge(hostname);
    const path = `/.well-known/acme-challenge/${TLS_ALPN_TOKEN}`;
    expect((await overHttp({ port: edge.httpPort, hostname, path })).status).toBe(404);
  });
});
