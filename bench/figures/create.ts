import { alternate, type Figure, medianOf, showNumber, showSpread } from '../figure.ts';
import { saturate, startServer } from '../http.ts';
import type { Load } from '../parts/load.ts';
import type { Writes, Written } from '../parts/writes.ts';
import { ratioOf } from '../spread.ts';

const GOAL = 0.5;
/** Requests under way; the bare engine commits as many at a time, which is the most that Nameplate could. */
const AT_ONCE = 64;

/** Domains created a second, each on the disk before its answer: over HTTP, through the store, and by the bare engine. */
export const create: Figure = {
  name: 'create',
  async measure(bench) {
    const { effort } = bench;
    // A file each, since they would wait for each other's lock.
    const [served, stored, bare] = await Promise.all([
      bench.populate(1000),
      bench.populate(1000),
      bench.populate(1000),
    ]);
    const writes = await bench.start<Writes>('writes');
    const load = await bench.start<Load>('load');
    const server = await startServer(bench, served);
    const ask = { operation: 'domains.createDomain', ...served.slugs } as const;
    const target = { rootKey: served.rootKey, ask, connections: AT_ONCE, seconds: effort.seconds };

    const overHttp = async () => (await saturate(load, server, target)).perSecond;
    const throughStore = async () => rateOf(await writes.call.store(stored, AT_ONCE, effort.seconds));
    const byEngine = async () => rateOf(await writes.call.engine(bare, AT_ONCE, effort.seconds));
    await overHttp();
    await throughStore();
    await byEngine();
    const rows = [];
    for (const [words, subject] of [
      ['over HTTP', overHttp],
      ['through the store', throughStore],
    ] as const) {
      const samples = await alternate(effort, subject, byEngine);
      const ratio = ratioOf(samples.subject, samples.baseline);
      rows.push({
        figure: `createDomain with sync, ${words}, ${AT_ONCE} at once`,
        measured: `${showNumber(medianOf(samples.subject, (perSecond) => perSecond))}/s`,
        baseline: `${showNumber(medianOf(samples.baseline, (perSecond) => perSecond))}/s`,
        result: `${showSpread(ratio)} of its writes a second`,
        goal: `${GOAL}`,
        met: ratio.median >= GOAL,
      });
    }
    return rows;
  },
};

function rateOf({ writes, seconds }: Written): number {
  return writes / seconds;
}
