import { expect } from 'vitest';
import type { IssuingSite } from './site.ts';

export type Row = Record<string, unknown>;

/** Nobody works on anything, and nothing is left that was needed for that alone; the store is as its rules want it. */
export async function expectNothingLeft({ data, ...site }: IssuingSite): Promise<void> {
  const one = async (sql: string) => Number((await data.query(sql))[0]?.count);
  expect({
    challenges: await one('select count(*) as count from challenges'),
    orders: await one('select count(*) as count from certificate_orders'),
    leases: await one('select count(*) as count from certificates where leased_until is not null'),
  }).toEqual({ challenges: 0, orders: 0, leases: 0 });
  const { faults } = await data.inspect({ ...site, now: Date.now() });
  expect(faults).toEqual([]);
}
