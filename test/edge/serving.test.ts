import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../support/entities.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

const alertOf = (name: string) => ({ message: expect.stringMatching(new RegExp(name.replaceAll('_', ' '), 'i')) });

describe('a name with a route, a certificate and a deployment', () => {
  it('is served over HTTP/1.1 and HTTP/2, by its origin', async () => {
    const { hostname } = await edge.addSite();
    for (const ask of [overHttps, overHttp2]) {
      const answer = await ask({ port: edge.httpsPort, hostname, path: '/a?b=c' });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ method: 'GET', url: '/a?b=c', headers: { host: hostname } });
    }
  });

  it('is served with its own certificate, whichever name was requested before', async () => {
    const sites = [await edge.addSite(), await edge.addSite(), await edge.addSite()];
    for (const { hostname, serial } of [...sites, ...sites.toReversed()]) {
      const socket = await handshake(edge.httpsPort, { servername: hostname });
      expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
      socket.destroy();
    }
  });

  it('is found in upper and lower case', async () => {
    const { hostname } = await edge.addSite();
    const socket = await handshake(edge.httpsPort, {
      servername: hostname.toUpperCase(),
      checkServerIdentity: () => undefined,
    });
    socket.destroy();
    const answer = await overHttps({ port: edge.httpsPort, hostname: hostname.toUpperCase(), servername: hostname });
    expect(answer.status).toBe(200);
  });

  it('negotiates HTTP/1.1 or HTTP/2, and TLS 1.2 or 1.3', async () => {
    const { hostname: servername } = await edge.addSite();
    const spoken = async (options: object) => {
      const socket = await handshake(edge.httpsPort, { servername, ...options });
      const spoke = [socket.alpnProtocol, socket.getProtocol()];
      socket.destroy();
      return spoke;
    };
    expect(await spoken({ ALPNProtocols: ['h2', 'http/1.1'] })).toEqual(['h2', 'TLSv1.3']);
    expect(await spoken({ ALPNProtocols: ['http/1.1'], maxVersion: 'TLSv1.2' })).toEqual(['http/1.1', 'TLSv1.2']);
    expect(await spoken({ ALPNProtocols: undefined })).toEqual([false, 'TLSv1.3']);
    await expect(spoken({ ALPNProtocols: ['smtp'] })).rejects.toThrow(/no application protocol/i);
    const old = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(spoken(old)).rejects.toThrow(/protocol version/i);
    // No forward secrecy.
    await expect(spoken({ maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' })).rejects.toThrow(/handshake failure/i);
  });

  it('is served with an expired certificate: browsers explain best what is wrong', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const { serial, ...issued } = issue(hostname, { notAfter: Date.now() - 1000 });
    await edge.store.importCertificate(hostname, issued, Date.now());
    await edge.heard();
    const socket = await handshake(edge.httpsPort, { servername: hostname, rejectUnauthorized: false });
    expect(socket.authorizationError).toBe('CERT_HAS_EXPIRED');
    expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
    socket.destroy();
  });

  it('sends all certificates of the chain', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const { serial: _, ...issued } = issue(hostname);
    const above = issue('above.example.com');
    await edge.store.importCertificate(hostname, { ...issued, chain: issued.chain + above.chain }, Date.now());
    await edge.heard();
    const socket = await handshake(edge.httpsPort, { servername: hostname, rejectUnauthorized: false });
    expect(new X509Certificate(issued.chain).fingerprint256).toBe(socket.getPeerX509Certificate()?.fingerprint256);
    socket.destroy();
  });
});

describe('a handshake', () => {
  it('for a name that is not ours is refused with unrecognized_name (RFC 6066 section 3)', async () => {
    for (const servername of ['nobody.example.com', 'localhost', 'a_very-odd.name.example']) {
      await expect(handshake(edge.httpsPort, { servername })).rejects.toMatchObject(alertOf('unrecognized_name'));
    }
    expect(await edge.metric('nameplate_edge_handshakes_total{outcome="unknown_name"}')).toBe(3);
  });

  it('without a name is refused', async () => {
    await expect(handshake(edge.httpsPort, { servername: '' })).rejects.toMatchObject(alertOf('unrecognized_name'));
  });

  it('for a name without a certificate fails with internal_error, and works once there is one', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const asking = handshake(edge.httpsPort, { servername: hostname });
    await expect(asking).rejects.toMatchObject(alertOf('internal_error'));
    const { serial, ...issued } = issue(hostname);
    await edge.store.importCertificate(hostname, issued, Date.now());
    await edge.heard();
    const socket = await handshake(edge.httpsPort, { servername: hostname });
    expect(socket.getPeerX509Certificate()?.serialNumber).toBe(serial);
    socket.destroy();
  });

  it('with an unusable certificate fails, is logged, and affects no other name', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const { serial: _, ...issued } = issue(hostname);
    await edge.store.importCertificate(hostname, { ...issued, chain: 'not a certificate' }, Date.now());
    await edge.heard();
    const asking = handshake(edge.httpsPort, { servername: hostname });
    await expect(asking).rejects.toMatchObject(alertOf('internal_error'));
    expect(edge.logged.join('')).toContain('a certificate cannot be used');
    expect(edge.logged.join('')).not.toContain('PRIVATE KEY');
    const other = await edge.addSite();
    expect((await overHttps({ port: edge.httpsPort, hostname: other.hostname })).status).toBe(200);
  });
});

describe('HTTP without TLS', () => {
  it('redirects to HTTPS with path and query, for every method (RFC 9110 section 15.4.9)', async () => {
    const { hostname } = await edge.addSite();
    for (const method of ['GET', 'HEAD', 'POST']) {
      const answer = await overHttp({ port: edge.httpPort, hostname, path: '/a/b?c=%20d', method });
      expect([answer.status, answer.headers.location]).toEqual([308, `https://${hostname}/a/b?c=%20d`]);
    }
  });

  it('redirects to the same name only', async () => {
    const { hostname } = await edge.addSite();
    const answer = await overHttp({ port: edge.httpPort, hostname, path: '//evil.example/..' });
    expect(answer.headers.location).toBe(`https://${hostname}//evil.example/..`);
  });

  it('returns 404 for a name that is not ours', async () => {
    const answer = await overHttp({ port: edge.httpPort, hostname: 'nobody.example.com' });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('nobody.example.com')]);
  });

  it('returns 503 for a name that waits for its certificate', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const answer = await overHttp({ port: edge.httpPort, hostname });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
    expect(answer.text).toContain('Almost ready');
  });
});

describe('a name without a deployment', () => {
  it('returns 503, and is served from the first deployment on', async () => {
    const { hostname, environment } = await edge.addSite({ origin: null });
    const before = await overHttps({ port: edge.httpsPort, hostname });
    expect([before.status, before.text]).toEqual([503, expect.stringContaining('Nothing here yet')]);
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('first')));
    await edge.heard();
    expect((await overHttps({ port: edge.httpsPort, hostname })).text).toBe('first');
  });
});

describe('an origin', () => {
  it('that refuses connections is a 502 that reveals no address', async () => {
    const { hostname } = await edge.addSite({ origin: 'http://127.0.0.1:1' });
    const answer = await overHttps({ port: edge.httpsPort, hostname });
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining(hostname)]);
    expect(answer.text).not.toContain('127.0.0.1');
    expect(await edge.metric('nameplate_edge_pages_total{page="origin_down"}')).toBe(1);
  });

  it('that redirects to such an address is not followed: the client gets the redirect', async () => {
    const location = 'http://169.254.169.254/latest/meta-data';
    const origin = await edge.addOrigin((_, response) => response.writeHead(302, { location }).end());
    const { hostname } = await edge.addSite({ origin });
    const answer = await overHttps({ port: edge.httpsPort, hostname });
    expect([answer.status, answer.headers.location]).toEqual([302, location]);
  });
});

describe('an origin at an address that is not public', () => {
  const addresses = ['169.254.169.254', '127.0.0.1', '10.1.2.3'];
  let lookedUp = 0;
  let strict: Harness;
  beforeAll(async () => {
    const lookUp = async () => [addresses[lookedUp++ % addresses.length] ?? ''];
    strict = await startHarness({ allowedNetworks: [], lookUp });
  });
  afterAll(() => strict.close());

  it.each([
    'http://169.254.169.254',
    'http://[::ffff:169.254.169.254]',
    'http://[fd00:ec2::254]',
    'http://10.0.0.1:8080',
    'http://0x7f.1',
    'http://2852039166',
    'http://100.64.0.1',
  ])('is not connected to: %s', async (origin) => {
    const { hostname } = await strict.addSite({ origin });
    const answer = await overHttps({ port: strict.httpsPort, hostname });
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('does not connect to')]);
    expect(answer.headers['proxy-status']).toBe('nameplate; error=destination_ip_prohibited');
  });

  it('is not connected to, whatever its name resolves to next', async () => {
    const { hostname } = await strict.addSite({ origin: `http://${unique('rebinding')}.example:80` });
    for (const _ of addresses) {
      expect((await overHttps({ port: strict.httpsPort, hostname })).status).toBe(502);
    }
    expect(lookedUp).toBe(addresses.length);
  });
});
