import { expect } from 'vitest';
import type { Store } from '../../../server/src/store/store.ts';
import { until } from '../../support/server-site.ts';
import type { IssuingSite } from './site.ts';

const ERROR_LEVEL = 50;

export type Row = Record<string, unknown>;

/** Expects that nothing is leased, that no order or challenge is left, and that the store is consistent. */
export async function expectNothingLeft({ data, ...site }: IssuingSite): Promise<void> {
  const one = async (sql: string) => Number((await data.query(sql))[0]?.count);
  expect({
    challenges: await one('select count(*) as count from challenges'),
    orders: await one('select count(*) as count from certificate_orders'),
    leases: await one('select count(*) as count from certificates where leased_until is not null'),
  }).toEqual({ challenges: 0, orders: 0, leases: 0 });
  const { faults } = await data.inspect({ ...site, now: Date.now });
  expect(faults).toEqual([]);
}

/** Waits until every name has its certificate and none is leased; advances the clocks of nodes to later due times. */
export async function settle(site: IssuingSite, store: Store, names: number): Promise<void> {
  let aheadMs = 0;
  await until(
    'every name has its certificate',
    async () => {
      const unfinished = [];
      for (const state of ['wanted', 'waiting_for_routing', 'ordering', 'renewing', 'failed'] as const) {
        unfinished.push(...(await store.listCertificates({ limit: 1000, state })).items);
      }
      const counts = await store.countCertificates();
      if (unfinished.length === 0) return counts.issued === names;
      const waitMs = Math.min(...unfinished.map(({ nextTryAt }) => nextTryAt)) - (Date.now() + aheadMs);
      if (unfinished.some(({ leasedUntil }) => leasedUntil !== null) || waitMs < 0) return false;
      aheadMs += waitMs;
      for (const node of site.nodes) await node.tell(`step ${waitMs}`);
      return false;
    },
    10,
  );
}

/** Expects no errors but a slow store, after which nodes retry. Returns how often that happened. */
export function expectNoErrors({ programs }: IssuingSite): number {
  const lines = programs.flatMap((program) => program.lines.filter((line) => 'level' in line));
  const errors = lines.filter(({ level }) => level >= ERROR_LEVEL);
  const late = errors.filter(({ err }) => err?.type === 'StoreUnavailable');
  expect(errors.filter((error) => !late.includes(error))).toEqual([]);
  return late.length;
}
