import {
  alternateWarm,
  eachOf,
  type Figure,
  medianOf,
  onBoth,
  showNumber,
  showSpread,
  toBaseline,
  toOther,
} from '../figure.ts';
import { CONNECTIONS, saturate, startServer } from '../http.ts';
import type { Load } from '../parts/load.ts';
import type { Writes } from '../parts/writes.ts';

const GOAL = 0.5;
const DOMAINS = 1000;

/**
 * Domains created a second over HTTP, each on the disk before its response; and by the bare engine, as many in each
 * commit as requests are in flight.
 */
export const create: Figure = {
  name: 'create',
  async measure(bench) {
    const { effort } = bench;
    const both = await onBoth(bench, async (checkout) =>
      startServer(bench, await bench.populate(DOMAINS, { checkout })),
    );
    // A file of its own, since they would wait for each other's lock.
    const written = await bench.populate(DOMAINS);
    const engine = await bench.start<Writes>('writes');
    const load = await bench.start<Load>('load');
    const contenders = {
      ...eachOf(both, (server) => {
        const { rootKey, slugs } = server.population;
        const ask = { operation: 'domains.createDomain', ...slugs } as const;
        return saturate(load, server, { rootKey, ask, connections: CONNECTIONS, seconds: effort.seconds });
      }),
      baseline: async () => {
        const before = await engine.cpuMicros();
        const { writes, seconds } = await engine.call.write(written, CONNECTIONS, effort.seconds);
        const micros = (await engine.cpuMicros()) - before;
        return { perSecond: writes / seconds, microsPerRequest: micros / writes, requests: writes };
      },
    };
    const samples = await alternateWarm(effort, contenders);
    const rate = toBaseline(samples, ({ perSecond }) => perSecond);
    return [
      {
        figure: `createDomain with sync, over HTTP, ${CONNECTIONS} at once`,
        measured: show(samples.subject),
        baseline: show(samples.baseline),
        result: `${showSpread(rate)} of its writes a second`,
        goal: `${GOAL}`,
        met: rate.median >= GOAL,
        against: toOther(samples, show, {
          rate: ({ perSecond }) => perSecond,
          'CPU time': ({ microsPerRequest }) => microsPerRequest,
        }),
      },
    ];
  },
};

function show(samples: { perSecond: number; microsPerRequest: number }[]): string {
  const perSecond = medianOf(samples, (one) => one.perSecond);
  const micros = medianOf(samples, (one) => one.microsPerRequest);
  return `${showNumber(perSecond)}/s, ${showNumber(micros)} CPU-µs each`;
}
