import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Store } from '../../../server/src/store/store.ts';
import { type Answer, ask, type CertificateData, type Data, type Operation } from '../../support/api-client.ts';
import { servedCertificate } from '../../support/certificates.ts';
import { GREETING, type IssuingSite } from './site.ts';
import { isOf, visit } from './visitor.ts';

/** A name of a registered domain with few names. */
export function nameOf(serial: number): string {
  return `shop${serial}.customer${Math.floor(serial / 5)}.test`;
}

/** For a node to restart on a busy machine. */
const PATIENCE_MS = 120_000;

/** Creates the domain and publishes its records. Nodes may die meanwhile. */
export async function addName(site: IssuingSite, name: string): Promise<void> {
  const created = await askAnyone<Data>(site, 'createDomain', name);
  // An earlier request, whose response was lost, may have created the domain.
  const { data } = created.status === 200 ? created : await askAnyone<Data>(site, 'getDomain', name);
  if (data === undefined) throw new Error(`${name} could not be created: ${created.status} ${created.error?.detail}`);
  for (const record of data.dnsRecords) site.dns.set(record.name, record.type, [record.value]);
}

/** The certificate of a name, as the API shows it. */
export async function readCertificate(site: IssuingSite, name: string): Promise<CertificateData> {
  const { status, data, error } = await askAnyone<CertificateData>(site, 'getCertificate', name);
  if (data === undefined) throw new Error(`getCertificate ${name}: ${status} ${error?.detail}`);
  return data;
}

/** Calls a running node, and another one after no response or a 503. */
async function askAnyone<Found>(site: IssuingSite, operation: Operation, name: string): Promise<Answer<Found>> {
  const began = performance.now();
  for (let turn = 0; ; turn++) {
    const running = [...site.nodes];
    const node = running[turn % Math.max(1, running.length)];
    try {
      if (node === undefined) throw new Error('no node runs');
      const answer = await ask<Found>(node.url, site.tenant, operation, name);
      if (answer.status < 500 && answer.status !== 429) return answer;
      throw new Error(`${operation} ${name}: ${answer.status}`);
    } catch (error) {
      if (performance.now() - began > PATIENCE_MS) throw error;
      await delay(50);
    }
  }
}

/**
 * Expects the name to be served with the certificate in use and its key, from the origin. Returns the certificate's
 * fingerprint.
 */
export async function expectServed(site: IssuingSite, store: Store, name: string): Promise<void> {
  const { certificate, status, body } = await visit(site, name);
  expect([status, body], name).toEqual([200, GREETING]);
  const [{ state, issued }, served] = [await readCertificate(site, name), await servedCertificate(store, name)];
  expect(state, name).toBe('issued');
  expect(issued, name).toMatchObject({
    issuer: site.recorder.directoryUrl,
    fingerprint: certificate.fingerprint256,
  });
  expect(served !== null && isOf(certificate, served.privateKey), `${name} is served with its key`).toBe(true);
}

/** Runs work for each item, with a concurrency limit. */
export async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}
