import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { expect } from 'vitest';
import { publicJwk } from '../../../server/src/certificates/acme/acme-client.ts';
import { readPrivateKey } from '../../../server/src/certificates/x509/private-key.ts';
import { isPlaintext } from '../../../server/src/store/sealing/keyring.ts';
import type { SecretStore } from '../../../server/src/store/store.ts';
import { createFinder, type Secret, secretOf } from './finder.ts';
import type { IssuingSite } from './site.ts';

/** Collects secrets: keys of certificates, of orders in flight, and of accounts. */
export interface Secrets {
  /** Collects the secrets in the store now. */
  gather(store: SecretStore): Promise<void>;
  /** Expects none of them in anything that the servers sent, logged or stored. Resolves with the number of secrets. */
  expectKept(store: SecretStore, names: readonly string[]): Promise<number>;
}

/** Anything visible. */
interface Seen {
  where: string;
  text: string;
}

const MANY = 100_000;
/** Key authorizations, of challenges and self-checks, are visible at their own URL only. */
const SELF_CHECK = /np-[\w-]{32}\.[\w-]{32}/;

/** `others`: secrets that are not in the store. */
export function createSecrets(site: IssuingSite, others: readonly Secret[]): Secrets {
  const keys = new Map<string, Uint8Array>();
  const accounts = new Map<string, Uint8Array>();

  async function gather(store: SecretStore): Promise<void> {
    const keyring = site.keyring();
    for (const prefix of await store.listSecretPrefixes()) {
      expect(isPlaintext(prefix)).toBe(false);
      for (const { kind, id, bytes } of await store.listSecrets(prefix, MANY)) {
        const plain = keyring.unseal(bytes, { kind, id });
        const name = `the ${kind} key of ${id} (${keys.size})`;
        if (![...keys.values()].some((known) => Buffer.compare(known, plain) === 0)) keys.set(name, plain);
        if (kind === 'account') accounts.set(name, plain);
      }
    }
  }

  async function expectKept(store: SecretStore, names: readonly string[]): Promise<number> {
    await gather(store);
    const secrets = [...[...keys].map(([name, key]) => secretOf(name, key)), ...others];
    const finder = createFinder(secrets);
    for (const { where, text } of await seenFrom(site, names)) expect(finder.find(text), where).toEqual([]);
    const stored = await storedIn(site);
    expect(finder.find(stored), 'the database').toEqual([]);
    expectReadable(stored, names);
    const thumbprints = [...accounts.values()].map((key) => calculateJwkThumbprint(publicJwk(readPrivateKey(key))));
    for (const { where, text } of logsOf(site)) {
      expect(finder.find(text), where).toEqual([]);
      expect(text).not.toMatch(SELF_CHECK);
      for (const thumbprint of await Promise.all(thumbprints))
        expect(text.includes(`.${thumbprint}`), where).toBe(false);
    }
    return secrets.length;
  }

  return { gather, expectKept };
}

/** Expects the finder to find a public value there, so that the search is valid. */
function expectReadable(stored: string, names: readonly string[]): void {
  for (const name of names) expect(stored.includes(name), name).toBe(true);
}

function* logsOf({ programs }: IssuingSite): Iterable<Seen> {
  for (const { pid, lines, complaints } of programs) {
    yield { where: `the log of ${pid}`, text: lines.map((line) => JSON.stringify(line)).join('\n') + complaints() };
  }
}

/** Responses of the API, metrics and pages of the edge, also errors. */
async function seenFrom({ nodes, tenant, http, https }: IssuingSite, names: readonly string[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  const key = `Bearer ${tenant.key}`;
  const look = async (where: string, url: string, init: RequestInit = {}) => {
    const response = await fetch(url, { redirect: 'manual', ...init });
    seen.push({ where, text: `${JSON.stringify([...response.headers])}\n${await response.text()}` });
  };
  const page = (host: string, path: string, port: number) =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
        const about = JSON.stringify(response.headers);
        text(response).then((body) => {
          seen.push({ where: `http://${host}${path}`, text: `${about}\n${body}` });
          resolve();
        }, reject);
      });
      sent.once('error', reject);
      sent.end();
    });

  for (const node of nodes) {
    const call = (operation: string, body: string, authorization = key) =>
      look(operation, `${node.url}/v2/${operation}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      });
    for (const name of names) {
      await call('domains.getDomain', JSON.stringify({ domain: name }));
      await call('domains.getCertificate', JSON.stringify({ domain: name }));
    }
    await call('domains.listDomains', '{}');
    await call('domains.getCertificate', '{');
    await call('domains.getCertificate', '{"domain":"nobody.test"}');
    await call('domains.getCertificate', '{}', 'Bearer np_wrong');
    for (const path of ['/readyz', '/healthz', '/nothing', '/openapi.json']) await look(path, node.url + path);
    await look('metrics', `${node.metrics}/metrics`);
  }
  const [name = ''] = names;
  await page(name, '/', http.port);
  await page(name, '/.well-known/acme-challenge/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', http.port);
  await page('nobody.test', '/', http.port);
  await page('bad host', '/', http.port);
  // No TLS at all.
  await page(name, '/', https.port).catch(() => {});
  return seen;
}

/** The files of an embedded store without its key file, or all rows of a database. Bytes as latin1. */
async function storedIn({ data, path }: IssuingSite): Promise<string> {
  if (data.url.startsWith('sqlite:')) {
    return [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1')).join('\n');
  }
  const tables = await data.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    for (const row of await data.query(`select * from "${name}"`)) {
      for (const value of Object.values(row))
        parts.push(Buffer.isBuffer(value) ? value.toString('latin1') : String(value));
    }
  }
  return parts.join('\n');
}
