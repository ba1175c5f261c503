import { alternate, type Figure, medianOf, type Row, showNumber, showSpread } from '../figure.ts';
import { saturate, serve } from '../http.ts';
import type { Load } from '../parts/load.ts';
import type { PostgresWrites } from '../parts/postgresWrites.ts';
import type { Written } from '../parts/writes.ts';
import { populatePostgres } from '../postgres.ts';
import { ratioOf } from '../spread.ts';

const AT_ONCE = 64;
const WORKSPACES = 8;

/** Domains created a second on PostgreSQL, over HTTP and through the store, against the same transactions by the driver alone. */
export const postgresCreate: Figure = {
  name: 'postgresCreate',
  async measure(bench) {
    const { effort } = bench;
    const population = await populatePostgres(await bench.postgres(), 1000, () => {});
    const load = await bench.start<Load>('load');
    const api = await serve(bench, population.url);
    const one = await bench.start<PostgresWrites>('postgresWrites');
    const several = await bench.start<PostgresWrites>('postgresWrites', { profiled: true });
    await one.call.open(population, 1);
    await several.call.open(population, WORKSPACES);

    const ask = { operation: 'domains.createDomain', ...population.slugs } as const;
    const target = { rootKey: population.rootKey, ask, connections: AT_ONCE, seconds: effort.seconds };
    const oneByDriver = async () => rateOf(await one.call.driver(AT_ONCE, effort.seconds));
    const severalByDriver = async () => rateOf(await several.call.driver(AT_ONCE, effort.seconds));
    const rows: Row[] = [];
    for (const { words, subject, baseline } of [
      {
        words: 'one workspace, over HTTP',
        subject: async () => (await saturate(load, api, target)).perSecond,
        baseline: oneByDriver,
      },
      {
        words: 'one workspace, through the store',
        subject: async () => rateOf(await one.call.store(AT_ONCE, effort.seconds)),
        baseline: oneByDriver,
      },
      {
        words: `${WORKSPACES} workspaces, through the store`,
        subject: async () => rateOf(await several.call.store(AT_ONCE, effort.seconds)),
        baseline: severalByDriver,
      },
    ]) {
      await alternate({ ...effort, rounds: 1 }, subject, baseline);
      const samples = await alternate(effort, subject, baseline);
      rows.push({
        figure: `PostgreSQL: createDomain, ${words}, ${AT_ONCE} at once`,
        measured: `${showNumber(medianOf(samples.subject, (perSecond) => perSecond))}/s`,
        baseline: `${showNumber(medianOf(samples.baseline, (perSecond) => perSecond))}/s`,
        result: `${showSpread(ratioOf(samples.subject, samples.baseline))} of its transactions a second`,
        goal: '',
        met: null,
      });
    }
    return rows;
  },
};

function rateOf({ writes, seconds }: Written): number {
  return writes / seconds;
}
