import { type Bench, type Figure, type Row, showNumber, showSpread } from '../figure.ts';
import type { Part } from '../part.ts';
import type { PostgresChecks } from '../parts/postgresChecks.ts';
import { cpuMicrosOf, populatePostgres } from '../postgres.ts';
import { ratioOf, spreadOf } from '../spread.ts';

const GOAL = 0.2;
const SIZES = [1000, 10_000, 100_000, 1_000_000];
const SMALLEST = 1000;
/** Longer than the rounds of others: what the server does now and then is to be in each. */
const TIMES_AS_LONG = 2;

/**
 * Measures the cost of a check on PostgreSQL, without its queries, by the number of domains on the schedule. All sizes
 * take turns, each on a server of its own.
 */
export const postgresCost: Figure = {
  name: 'postgresCost',
  async measure(bench) {
    const measured: Measured[] = [];
    for (const size of SIZES.filter((size) => size <= bench.effort.mostDomains)) measured.push(await open(bench, size));
    return [
      ...(await measure(bench, measured, { saving: false, words: 'claimed, nothing new' })),
      ...(await measure(bench, measured, { saving: true, words: 'claimed, and a change saved' })),
    ];
  },
};

interface Measured {
  domains: number;
  part: Part<PostgresChecks>;
  serverMicros(): Promise<number>;
}

async function open(bench: Bench, domains: number): Promise<Measured> {
  const server = await bench.postgres();
  const population = await populatePostgres(server, domains, (done) => {
    if (done % 200_000 === 0) bench.say(`${done} of ${domains} domains made`);
  });
  const part = await bench.start<PostgresChecks>('postgresChecks', { profiled: true });
  await part.call.open(population);
  return { domains, part, serverMicros: await cpuMicrosOf(server) };
}

/** Time of one check, in microseconds. */
interface Sample {
  node: number;
  server: number;
  wall: number;
}

async function measure(
  { effort }: Bench,
  measured: Measured[],
  { saving, words }: { saving: boolean; words: string },
): Promise<Row[]> {
  const race = { seconds: TIMES_AS_LONG * effort.seconds, saving };
  // Until the compilers have settled, and claims have left every row where claims leave it.
  for (const { part, domains } of measured) {
    for (let checks = 0; checks < (saving ? 1 : domains); ) checks += (await part.call.race(race)).checks;
  }
  const all = await Promise.all(
    measured.map(async (one) => ({ ...one, before: await one.serverMicros(), samples: [] as Sample[] })),
  );
  for (let round = 0; round < effort.rounds; round++) {
    for (const one of all) {
      const { checks, cpuMicros, wallMicros } = await one.part.call.race(race);
      // The time of the server between two rounds counts too, because it cleans up then.
      const after = await one.serverMicros();
      one.samples.push({ node: cpuMicros / checks, server: (after - one.before) / checks, wall: wallMicros / checks });
      one.before = after;
    }
  }
  const total = ({ node, server }: Sample) => node + server;
  const smallest = all[0]?.samples.map(total) ?? [];
  return all.map(({ domains, samples }) => {
    const part = (read: (sample: Sample) => number) => showSpread(spreadOf(samples.map(read)), 0);
    const ratio = ratioOf(samples.map(total), smallest);
    return {
      figure: `PostgreSQL: a check ${words}, ${showNumber(domains)} pending domains`,
      measured: `${part(({ node }) => node)} CPU-µs and ${part(({ server }) => server)} of the server, ${part(({ wall }) => wall)} µs`,
      baseline: domains === SMALLEST ? '' : `with ${showNumber(SMALLEST)}`,
      result: showSpread(ratio),
      goal: `within ${GOAL * 100}%`,
      met: Math.abs(ratio.median - 1) <= GOAL,
    };
  });
}
