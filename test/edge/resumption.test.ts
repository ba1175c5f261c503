import { once } from 'node:events';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeOver } from '../support/certificates.ts';
import { plant } from '../support/entities.ts';
import { issue } from './authority.ts';
import { type Harness, handshake, startHarness } from './harness.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

const VERSIONS: SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];

/** Does a request, so that the tickets of TLS 1.3 have arrived; and returns them. */
async function sessionFor(hostname: string, maxVersion: SecureVersion): Promise<Buffer> {
  const socket = await handshake(edge.httpsPort, { servername: hostname, maxVersion });
  const atOnce = socket.getSession();
  const later: Buffer[] = [];
  socket.on('session', (session: Buffer) => void later.push(session));
  await request(socket, hostname);
  const session = later.at(-1) ?? atOnce;
  if (session === undefined) throw new Error('there is no session');
  return session;
}

/**
 * Clients of this OpenSSL offer a session to no other name. This one thinks that it was begun for that name, which has
 * to be as long.
 */
function relabelled(session: Buffer, before: string, after: string): Buffer {
  const relabelled = Buffer.from(session.toString('latin1').replaceAll(before, after), 'latin1');
  expect(relabelled.length).toBe(session.length);
  return relabelled;
}

async function request(socket: TLSSocket, host: string): Promise<string> {
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk;
  });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return heard;
}

describe.each(VERSIONS)('a session of %s', (maxVersion) => {
  const named = (label: string) => `${label}.${maxVersion}.example.com`.toLowerCase();

  it('is resumed by the name that it was issued for', async () => {
    const { hostname } = await edge.addSite();
    const session = await sessionFor(hostname, maxVersion);
    const socket = await handshake(edge.httpsPort, { servername: hostname, session, maxVersion });
    expect(socket.isSessionReused()).toBe(true);
    expect(await request(socket, hostname)).toContain('HTTP/1.1 200');
  });

  it('is not resumed by another name, which shows its own certificate and serves only itself', async () => {
    const [a, b] = [named('a'), named('b')];
    const [one, other] = [await edge.addSite({ hostname: a }), await edge.addSite({ hostname: b })];
    const session = relabelled(await sessionFor(a, maxVersion), a, b);
    for (const asked of [other.hostname, one.hostname]) {
      const socket = await handshake(edge.httpsPort, { servername: other.hostname, session, maxVersion });
      expect([socket.isSessionReused(), socket.getPeerX509Certificate()?.serialNumber]).toEqual([false, other.serial]);
      expect(await request(socket, asked)).toContain(asked === other.hostname ? 'HTTP/1.1 200' : 'HTTP/1.1 421');
    }
  });

  it('gives no access to a name that is not served, nor to a connection without a name', async () => {
    const [a, b] = [named('c'), named('d')];
    await edge.addSite({ hostname: a });
    await edge.addSite({ hostname: b, certified: false });
    const begun = await sessionFor(a, maxVersion);
    for (const servername of [named('x'), b, '']) {
      const session = servername === '' ? begun : relabelled(begun, a, servername);
      await expect(handshake(edge.httpsPort, { servername, session, maxVersion })).rejects.toThrow(/alert/);
    }
  });

  it('is invalid after a takeover, though the certificate is the same', async () => {
    const { hostname, domain, serial } = await edge.addSite();
    const session = await sessionFor(hostname, maxVersion);
    await takeOver(edge.store, (await plant(edge.store)).environment, domain, edge.clock.now());
    await edge.heard();
    const socket = await handshake(edge.httpsPort, { servername: hostname, session, maxVersion });
    expect([socket.isSessionReused(), socket.getPeerX509Certificate()?.serialNumber]).toEqual([false, serial]);
    expect(await request(socket, hostname)).toContain('HTTP/1.1 503');
  });

  it('is invalid after a new certificate', async () => {
    const { hostname } = await edge.addSite();
    const session = await sessionFor(hostname, maxVersion);
    const { serial, ...issued } = issue(hostname);
    await edge.store.importCertificate(hostname, issued, edge.clock.now());
    await edge.heard();
    const socket = await handshake(edge.httpsPort, { servername: hostname, session, maxVersion });
    expect([socket.isSessionReused(), socket.getPeerX509Certificate()?.serialNumber]).toEqual([false, serial]);
    expect(await request(socket, hostname)).toContain('HTTP/1.1 200');
  });
});

describe('handshakes', () => {
  it('are counted by outcome', async () => {
    expect(await edge.metric('nameplate_edge_handshakes_total{outcome="resumed"}')).toBe(2);
    expect(await edge.metric('nameplate_edge_handshakes_total{outcome="full"}')).toBe(18);
  });
});

it('handshakes accept the groups of Mozilla’s intermediate configuration, and none that costs more', async () => {
  const { hostname } = await edge.addSite();
  const isAccepted = (ecdhCurve: string) =>
    handshake(edge.httpsPort, { servername: hostname, maxVersion: 'TLSv1.3', ecdhCurve }).then(
      (socket) => socket.destroy() === socket,
      () => false,
    );
  const groups = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521', 'X448'];
  const accepted = await Promise.all(groups.map(isAccepted));
  expect(groups.filter((_, i) => accepted[i])).toEqual(['X25519MLKEM768', 'X25519', 'P-256', 'P-384']);
});

it('handshakes have the post-quantum group with every client that sends a key for it, also one that prefers another', async () => {
  const { hostname } = await edge.addSite();
  for (const ecdhCurve of ['auto', 'X25519MLKEM768:X25519', '*X25519:*X25519MLKEM768']) {
    const socket = await handshake(edge.httpsPort, { servername: hostname, maxVersion: 'TLSv1.3', ecdhCurve });
    expect(socket.getEphemeralKeyInfo()).toMatchObject({ name: 'X25519MLKEM768' });
    socket.destroy();
  }
});
