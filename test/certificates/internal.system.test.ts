import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InternalCa, internalIssuer } from '../../server/src/certificates/internal-ca.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { createRequest } from '../../server/src/certificates/x509/x509-certificate.ts';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { openEngine } from '../support/engine.ts';
import { createIssuing, type Issuing } from './issuing.ts';

const DAY_MS = 24 * 3_600_000;
/** 253 characters: too long for a common name. */
const LONG = `${'a'.repeat(61)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.example.com`;

let world: Issuing;
let issuer: InternalCa;
let directory: string;
/** Resolves with the output of OpenSSL, and rejects with its errors. */
let openssl: (...words: string[]) => Promise<string>;

beforeAll(async () => {
  world = await createIssuing();
  issuer = internalIssuer(world);
  directory = await mkdtemp(join(tmpdir(), 'nameplate-internal-'));
  const programs = await findPrograms('openssl', ['openssl']);
  openssl = async (...words) => {
    const { stdout } = await promisify(execFile)(programs.path('openssl'), words, {
      env: programs.env,
      cwd: directory,
    });
    return stdout;
  };
}, START_LIMIT_MS);
afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true });
});

async function issueTo(hostname: string) {
  const { privateKey } = world.task();
  const { chain } = await issuer.issue(world.task({ hostname, privateKey }));
  return { chain, key: readPrivateKey(privateKey).export({ type: 'pkcs8', format: 'pem' }) };
}

describe.each(['www.example.com', LONG])('a certificate of the internal CA for %s', (hostname) => {
  test('is accepted by OpenSSL with strict checks, when the root is trusted', async () => {
    await writeFile(join(directory, 'leaf.pem'), (await issueTo(hostname)).chain);
    await writeFile(join(directory, 'root.pem'), await issuer.rootCertificate());
    const strict = ['-x509_strict', '-check_ss_sig', '-purpose', 'sslserver', '-verify_hostname', hostname];
    const at = ['-attime', String(world.clock.now() / 1000)];
    expect(await openssl('verify', ...strict, ...at, '-CAfile', 'root.pem', 'leaf.pem')).toBe('leaf.pem: OK\n');
    await expect(openssl('verify', ...strict, ...at, '-no-CAfile', '-no-CApath', 'leaf.pem')).rejects.toThrow();
  });

  test('has the expected extensions and no others', async () => {
    await writeFile(join(directory, 'leaf.pem'), (await issueTo(hostname)).chain);
    const text = await openssl('x509', '-in', 'leaf.pem', '-noout', '-text');
    expect(text).toContain('CA:FALSE');
    expect(text).toMatch(/Key Usage: critical\n\s+Digital Signature\n/);
    expect(text).toMatch(/Extended Key Usage: \n\s+TLS Web Server Authentication\n/);
    expect(text).toMatch(new RegExp(`Subject Alternative Name: ?(critical)?\\n\\s+DNS:${hostname}\\n`));
  });

  test('is accepted by Node over TLS, when the root is trusted', async () => {
    // Node uses the real clock.
    const real = internalIssuer({ store: world.store, clock: { now: () => Date.now() } });
    const key = readPrivateKey(newPrivateKey());
    const task = world.task({ hostname, privateKey: key.export({ type: 'pkcs8', format: 'der' }) });
    const { chain } = await real.issue(task);
    const server = createServer({ key: key.export({ type: 'pkcs8', format: 'pem' }), cert: chain });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const at = { port, host: '127.0.0.1', servername: hostname };
    const trusting = connect({ ...at, ca: await real.rootCertificate() });
    await once(trusting, 'secureConnect');
    expect(trusting.authorized).toBe(true);
    const strange = connect(at);
    await expect(once(strange, 'secureConnect')).rejects.toThrow();
    trusting.destroy();
    server.close();
  });
});

describe('the internal CA', () => {
  test('is a root without intermediates, valid for ten years', async () => {
    const root = new X509Certificate(await issuer.rootCertificate());
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(root.validToDate.getTime() - world.clock.now()).toBe(3650 * DAY_MS);
  });

  test('is the same for all nodes that start at the same time, and stays the same', async () => {
    const { store, remove } = await openEngine();
    const nodes = Array.from({ length: 5 }, () => internalIssuer({ store, clock: world.clock }));
    const roots = await Promise.all(nodes.map((node) => node.rootCertificate()));
    const later = await internalIssuer({ store, clock: world.clock }).rootCertificate();
    expect(new Set([...roots, later]).size).toBe(1);
    for (const node of nodes) {
      const { chain } = await node.issue(world.task());
      expect(new X509Certificate(chain).verify(new X509Certificate(later).publicKey)).toBe(true);
    }
    await store.close();
    await remove();
  });

  test('issues for 90 days, or the configured time, starting an hour ago', async () => {
    const validities = async (about: object) => {
      const { chain } = await internalIssuer({ ...world, ...about }).issue(world.task());
      const { validFromDate, validToDate } = new X509Certificate(chain);
      return [validFromDate.getTime() - world.clock.now(), validToDate.getTime() - world.clock.now()];
    };
    expect(await validities({})).toEqual([-3_600_000, 90 * DAY_MS]);
    expect(await validities({ lifetimeMs: 60_000 })).toEqual([-3_600_000, 60_000]);
  });

  test('issues for no longer than its own validity, and not after that', async () => {
    const { store, remove } = await openEngine();
    let now = world.clock.now();
    const short = internalIssuer({ store, clock: { now: () => now } });
    const end = new X509Certificate(await short.rootCertificate()).validToDate.getTime();
    now = end - DAY_MS;
    const { chain } = await short.issue(world.task());
    expect(new X509Certificate(chain).validToDate.getTime()).toBe(end);
    now = end;
    await expect(short.issue(world.task())).rejects.toMatchObject({ name: 'CaProblem', kind: 'account' });
    await store.close();
    await remove();
  });

  test('needs neither HTTP-01 nor CAA, and suggests no renewals', async () => {
    expect(issuer).toMatchObject({ id: 'internal', validatesNames: false });
    const { chain } = await issueTo('www.example.com');
    expect(await issuer.caaNames()).toEqual([]);
    expect(await issuer.renewalInfo(chain)).toBe(null);
    expect(await issuer.renewalId(chain)).toBe(null);
  });
});

describe('a certificate request', () => {
  test.each(['www.example.com', LONG])('for %s is accepted by OpenSSL', async (hostname) => {
    await writeFile(join(directory, 'request.der'), createRequest(hostname, readPrivateKey(newPrivateKey())));
    const text = await openssl('req', '-inform', 'DER', '-in', 'request.der', '-verify', '-noout', '-text');
    expect(text).toContain(`DNS:${hostname}\n`);
    expect(text).toContain('NIST CURVE: P-256');
  });
});
