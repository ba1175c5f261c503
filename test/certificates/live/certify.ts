import { expect } from 'vitest';
import { percentiles } from '../../support/figures.ts';
import { until } from '../../support/server-site.ts';
import { addName, each, expectServed, nameOf } from './names.ts';
import { judge } from './orders.ts';
import { expectNothingLeft, type Row } from './rest.ts';
import type { IssuingSite } from './site.ts';

/** Durations. */
export interface Certified {
  names: number;
  /** From the first verification to the last certificate. */
  seconds: number;
  'certificates a second': number;
  /** Seconds from the verification of each name to its certificate. */
  waited: string;
  /** Requests to pebble, without those for nonces. */
  'requests a certificate': number;
}

/** Takes names from their creation to HTTPS on one node, and expects that each was ordered once, and is served. */
export async function certify(site: IssuingSite, count: number): Promise<Certified> {
  const node = await site.serve();
  const store = await site.open();
  const names = Array.from({ length: count }, (_, serial) => nameOf(serial));
  await each(names, 8, (name) => addName(site, name));
  await until('every name has its certificate', async () => (await store.countCertificates()).issued === count, 20);
  await each(names, 8, (name) => expectServed(site, store, name));
  expect(node.errors()).toEqual([]);

  const { orders, valid, faults } = judge(site.recorder.orders);
  expect({ orders, valid, faults }).toEqual({ orders: count, valid: count, faults: [] });
  expect(await store.countLedgerEntries(site.recorder.directoryUrl, 0)).toEqual({
    orders: count,
    exempt: 0,
    issued: count,
    failed: 0,
  });
  await expectNothingLeft(site);
  await store.close();
  return figures(
    await site.data.query(
      'select c.created_at, s.issued_at from certificates c join served_certificates s on s.hostname = c.hostname',
    ),
    site,
  );
}

function figures(rows: Row[], { recorder }: IssuingSite): Certified {
  const times = rows.map(({ created_at, issued_at }) => ({
    verifiedAt: Number(created_at),
    issuedAt: Number(issued_at),
  }));
  const began = Math.min(...times.map(({ verifiedAt }) => verifiedAt));
  const seconds = (Math.max(...times.map(({ issuedAt }) => issuedAt)) - began) / 1000;
  return {
    names: rows.length,
    seconds: Number(seconds.toFixed(1)),
    'certificates a second': Number((rows.length / seconds).toFixed(1)),
    waited: percentiles(times.map(({ verifiedAt, issuedAt }) => (issuedAt - verifiedAt) / 1000)),
    'requests a certificate': Number((recorder.requests.length / rows.length).toFixed(1)),
  };
}
