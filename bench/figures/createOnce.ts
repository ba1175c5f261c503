import {
  alternate,
  type Bench,
  type Figure,
  medianOf,
  type Row,
  showNumber,
  showSpread,
  toBaseline,
} from '../figure.ts';
import { CONNECTIONS, type LoadSample, type Serving, saturate, startServer } from '../http.ts';
import type { Load } from '../parts/load.ts';
import { populatePostgres } from '../postgres.ts';

const GOAL = 1.5;
const DOMAINS = 1000;

/** Compares creations with and without an Idempotency-Key on the same server, on each engine. */
export const createOnce: Figure = {
  name: 'createOnce',
  async measure(bench) {
    const load = await bench.start<Load>('load');
    const sqlite = await startServer(bench, await bench.populate(DOMAINS));
    const postgres = await startServer(bench, await populatePostgres(await bench.postgres(), DOMAINS));
    return [await measure(bench, load, sqlite, 'SQLite'), await measure(bench, load, postgres, 'PostgreSQL')];
  },
};

async function measure(
  { effort }: Bench,
  load: Parameters<typeof saturate>[0],
  server: Serving,
  engine: string,
): Promise<Row> {
  const { rootKey, slugs } = server.population;
  const create = (idempotent: boolean) => () => {
    const ask = { operation: 'domains.createDomain', ...slugs, idempotent } as const;
    return saturate(load, server, { rootKey, ask, connections: CONNECTIONS, seconds: effort.seconds });
  };
  const contenders = { subject: create(true), baseline: create(false) };
  await alternate({ rounds: 1 }, contenders);
  const samples = await alternate(effort, contenders);
  const cost = toBaseline(samples, ({ microsPerRequest }) => microsPerRequest);
  const rate = toBaseline(samples, ({ perSecond }) => perSecond);
  return {
    figure: `createDomain with an Idempotency-Key, ${engine}, ${CONNECTIONS} at once`,
    measured: show(samples.subject),
    baseline: `without: ${show(samples.baseline)}`,
    result: `${showSpread(cost)} of its CPU time, ${showSpread(rate)} of its rate`,
    goal: `${GOAL} of its CPU time`,
    met: cost.median <= GOAL,
  };
}

function show(samples: LoadSample[]): string {
  const perSecond = medianOf(samples, (one) => one.perSecond);
  const micros = medianOf(samples, (one) => one.microsPerRequest);
  return `${showNumber(perSecond)}/s, ${showNumber(micros)} CPU-µs each`;
}
