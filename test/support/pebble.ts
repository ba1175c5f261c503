import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import {
  createAuthorityCertificate,
  createServerCertificate,
} from '../../server/src/certificates/x509/x509-certificate.ts';
import { findPrograms } from './debian.ts';
import { type Service, startService } from './service.ts';

/**
 * A real ACME server: pebble, that of Let's Encrypt for tests. Of its defaults, it refuses good nonces and takes its
 * time.
 */
export interface Pebble extends Service {
  directoryUrl: string;
  /** PEM: of its own HTTPS. */
  trustRoots: string;
  /** PEM: above the certificates that it issues. New at each start. */
  issuingRoots: string;
  /** PEM: the same of an alternate chain, counted from 1. */
  rootAt(index: number): Promise<string>;
  /** `Valid` or `Revoked`, with the reason code, of a certificate by its serial number in hexadecimal. */
  statusOf(serial: string): Promise<{ Status: string; Reason?: number }>;
}

export interface PebbleOptions {
  /** Where it looks up names. */
  dns: { address: string; port: number };
  /** Where it asks for answers to challenges, in place of port 80. */
  httpPort: number;
  /** Where it asks for those of TLS-ALPN-01, in place of port 443; nowhere unless given. */
  tlsPort?: number;
  /** Accounts need one of these: secrets (base64url) by `kid`. */
  externalAccounts?: Record<string, string>;
  /** `PEBBLE_…`: see its README. */
  env?: NodeJS.ProcessEnv;
}

const DAY_MS = 24 * 3_600_000;

/** Starts pebble; the first time it may have to be fetched, see `START_LIMIT_MS`. */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const programs = await findPrograms('pebble', ['pebble']);
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-pebble-'));
  const { trustRoots, key, chain } = createIdentity();
  const file = (name: string) => join(directory, name);
  const [port, managementPort] = await freePorts();
  await writeFile(file('key.pem'), key);
  await writeFile(file('chain.pem'), chain);
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: file('chain.pem'),
    privateKey: file('key.pem'),
    httpPort: options.httpPort,
    tlsPort: options.tlsPort ?? 1,
    externalAccountBindingRequired: options.externalAccounts !== undefined,
    externalAccountMACKeys: options.externalAccounts ?? {},
  };
  await writeFile(file('pebble.json'), JSON.stringify({ pebble: settings }));
  const words = ['-config', file('pebble.json'), '-dnsserver', `${options.dns.address}:${options.dns.port}`];
  const service = await startService(programs.path('pebble'), words, {
    env: { ...programs.env, ...options.env },
    ready: /ACME directory available at/,
  });
  return {
    ...service,
    directoryUrl: `https://localhost:${port}/dir`,
    trustRoots,
    issuingRoots: await readOnceListening(`https://localhost:${managementPort}/roots/0`, trustRoots),
    rootAt: (index) => read(`https://localhost:${managementPort}/roots/${index}`, trustRoots),
    statusOf: async (serial) =>
      JSON.parse(await read(`https://localhost:${managementPort}/cert-status-by-serial/${serial}`, trustRoots)),
    async close() {
      await service.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** For HTTPS of its own, at `localhost`. */
export function createIdentity(): { trustRoots: string; key: string; chain: string } {
  const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + DAY_MS };
  const signer = { name: 'CA of a test', privateKey: readPrivateKey(newPrivateKey()) };
  const key = readPrivateKey(newPrivateKey());
  return {
    trustRoots: certificatePem(createAuthorityCertificate(signer, { ...validity, pathLength: 0 })),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    chain: certificatePem(createServerCertificate({ hostname: 'localhost', key }, { ...validity, signer })),
  };
}

/** It does not say which ports the system gave it. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = servers.map(
    (server) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject).listen(0, '127.0.0.1', () => {
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : 0);
        });
      }),
  );
  const [first = 0, second = 0] = await Promise.all(ports);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [first, second];
}

/** Pebble logs that it is ready before its management port listens. */
async function readOnceListening(url: string, ca: string): Promise<string> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await read(url, ca);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || attempts === 200) throw error;
      await delay(25);
    }
  }
}

function read(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca }, (response) => resolve(text(response))).once('error', reject);
  });
}
