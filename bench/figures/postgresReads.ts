import { alternate, type Bench, type Figure, medianOf, type Row, showNumber, showSpread } from '../figure.ts';
import { CONNECTIONS, getting, serve } from '../http.ts';
import type { Part } from '../part.ts';
import type { Load } from '../parts/load.ts';
import type { PostgresReads, Read } from '../parts/postgresReads.ts';
import { cpuMicrosOf, populatePostgres } from '../postgres.ts';
import { ratioOf } from '../spread.ts';

const GOAL = 0.6;

/** getDomain on PostgreSQL, against the driver that reads the same rows by the same statement, and nothing else. */
export const postgresReads: Figure = {
  name: 'postgresReads',
  async measure(bench) {
    return [
      ...(await compare(bench, Math.min(10_000, bench.effort.mostDomains), 'requested often, cached')),
      ...(await compare(bench, bench.effort.mostDomains, 'requested evenly, each read from the store')),
    ];
  },
};

/** What one round did, and cost. */
interface Sample {
  perSecond: number;
  /** Of the process that asks PostgreSQL. */
  node: number;
  server: number;
}

async function compare(bench: Bench, domains: number, asked: string): Promise<Row[]> {
  const { effort } = bench;
  const server = await bench.postgres();
  const serverMicros = await cpuMicrosOf(server);
  const population = await populatePostgres(server, domains, (done) => {
    if (done % 200_000 === 0) bench.say(`${done} of ${domains} domains made`);
  });
  const load = await bench.start<Load>('load');
  const api = await serve(bench, population.url);
  const [driver, store] = await Promise.all([
    bench.start<PostgresReads>('postgresReads', { profiled: true }),
    bench.start<PostgresReads>('postgresReads', { profiled: true }),
  ]);
  const target = { ...getting(population), connections: CONNECTIONS, seconds: effort.seconds };
  const asking = { atOnce: CONNECTIONS, seconds: effort.seconds };

  async function sample(part: Part<unknown>, run: () => Promise<Read>): Promise<Sample> {
    const before = [await part.cpuMicros(), await serverMicros()] as const;
    const { reads, seconds } = await run();
    const after = [await part.cpuMicros(), await serverMicros()] as const;
    return {
      perSecond: reads / seconds,
      node: (after[0] - before[0]) / reads,
      server: (after[1] - before[1]) / reads,
    };
  }
  const byDriver = () => sample(driver, () => driver.call.driver(population, asking));
  const throughStore = () => sample(store, () => store.call.store(population, asking));
  const overHttp = () =>
    sample(api.part, async () => {
      const { answers, seconds } = await load.call.saturate({ ...target, port: api.port });
      return { reads: answers, seconds };
    });

  const rows: Row[] = [];
  for (const { words, subject, goal } of [
    { words: `getDomain over HTTP, ${showNumber(domains)} domains ${asked}`, subject: overHttp, goal: GOAL },
    { words: `the store's findDomainByName, ${showNumber(domains)} domains`, subject: throughStore, goal: null },
  ]) {
    await alternate({ ...effort, rounds: 2 }, subject, byDriver);
    const samples = await alternate(effort, subject, byDriver);
    const ratio = ratioOf(
      samples.subject.map(({ perSecond }) => perSecond),
      samples.baseline.map(({ perSecond }) => perSecond),
    );
    rows.push({
      figure: `PostgreSQL: ${words}`,
      measured: show(samples.subject),
      baseline: show(samples.baseline),
      result: `${showSpread(ratio)} of its reads a second`,
      goal: goal === null ? '' : `${goal}`,
      met: goal === null ? null : ratio.median >= goal,
    });
  }
  await Promise.all([load.stop(), api.part.stop(), driver.stop(), store.stop()]);
  return rows;
}

function show(samples: Sample[]): string {
  const [perSecond, node, server] = [
    medianOf(samples, (sample) => sample.perSecond),
    medianOf(samples, (sample) => sample.node),
    medianOf(samples, (sample) => sample.server),
  ].map((value) => showNumber(value));
  return `${perSecond}/s, ${node} CPU-µs each and ${server} of the server`;
}
