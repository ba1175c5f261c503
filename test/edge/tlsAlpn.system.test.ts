import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TLS_ALPN_TOKEN } from '../../server/src/domain/certificate-state.ts';
import { type Harness, startHarness } from './harness.ts';

/** TLS-ALPN-01 with several addresses, and with another client. */

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ proxyProtocol: ['127.0.0.2/32'] });
});
afterAll(() => edge.close());

async function addChallenge(hostname: string) {
  const challenge = { hostname, token: TLS_ALPN_TOKEN, keyAuthorization: 'token.thumbprint' };
  await edge.store.putChallenge({ ...challenge, expiresAt: edge.clock.now() + 60_000 });
}

describe('a client that offers acme-tls/1 alone', () => {
  it('gets the certificate of RFC 8737 behind a load balancer with the PROXY protocol', async () => {
    const { hostname } = await edge.addSite();
    await addChallenge(hostname);
    const raw = connectTcp({ port: edge.httpsPort, host: '127.0.0.1', localAddress: '127.0.0.2' });
    raw.write('PROXY TCP4 198.51.100.7 198.51.100.1 40000 443\r\n');
    const options = { servername: hostname, ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false };
    const socket = connect({ socket: raw, ...options });
    await once(socket, 'secureConnect');
    expect(socket.getPeerX509Certificate()?.subjectAltName).toBe(`DNS:${hostname}`);
    raw.destroy();
  });

  it('gets it where it is OpenSSL', async () => {
    const { hostname } = await edge.addSite();
    await addChallenge(hostname);
    const words = [
      's_client',
      '-connect',
      `127.0.0.1:${edge.httpsPort}`,
      '-servername',
      hostname,
      '-alpn',
      'acme-tls/1',
    ];
    const output = await new Promise<string>((resolve) => {
      execFile('openssl', words, (_, stdout) => resolve(stdout)).stdin?.end();
    });
    expect(output).toContain('ALPN protocol: acme-tls/1');
    const [pem = ''] = /-----BEGIN.*?END CERTIFICATE-----/s.exec(output) ?? [];
    expect(new X509Certificate(pem).subjectAltName).toBe(`DNS:${hostname}`);
  });
});
