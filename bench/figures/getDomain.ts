import {
  alternateWarm,
  type Bench,
  type Both,
  eachOf,
  type Figure,
  medianOf,
  onBoth,
  type Row,
  showNumber,
  showSpread,
  toBaseline,
  toOther,
} from '../figure.ts';
import { CONNECTIONS, getting, type Listening, type Serving, saturate, startBare, startServer } from '../http.ts';
import type { Part } from '../part.ts';
import type { Load } from '../parts/load.ts';
import { cpuMicrosOf, populatePostgres } from '../postgres.ts';

const FEW = 10_000;
/** More than the cache holds. */
const MANY = 200_000;

/** CPU time of a request, and requests a second when the server is the bottleneck, against the bare server. */
export const often: Figure = {
  name: 'often',
  measure: (bench) => onSqlite(bench, FEW, { words: 'requested often', goal: 0.75 }),
};

export const evenly: Figure = {
  name: 'evenly',
  measure: (bench) => onSqlite(bench, MANY, { words: 'requested evenly', goal: 0.5 }),
};

/** The same on PostgreSQL, whose CPU time is shown apart. */
export const postgresEvenly: Figure = {
  name: 'postgresEvenly',
  async measure(bench) {
    const server = await bench.postgres();
    const domains = Math.min(MANY, bench.effort.mostDomains);
    const both = await onBoth(bench, async (checkout) =>
      startServer(bench, await populatePostgres(server, domains, () => {}, checkout)),
    );
    const databaseMicros = await cpuMicrosOf(server);
    return [await compare(bench, both, { words: 'on PostgreSQL, requested evenly', goal: null, databaseMicros })];
  },
};

/** Requests a second of two API threads, against one. */
export const apiThreads: Figure = {
  name: 'apiThreads',
  async measure(bench) {
    const domains = Math.min(FEW, bench.effort.mostDomains);
    const open = async (threads: number) =>
      startServer(bench, await bench.populate(domains), { env: { NAMEPLATE_API_THREADS: `${threads}` } });
    const load = await bench.start<Load>('load');
    const [two, one] = [await open(2), await open(1)];
    const contenders = { subject: () => sample(bench, load, two), baseline: () => sample(bench, load, one) };
    const samples = await alternateWarm(bench.effort, contenders, 2);
    const cpu = toBaseline(samples, ({ micros }) => micros);
    return [
      {
        figure: `getDomain, ${showNumber(domains)} domains requested often, two API threads`,
        measured: show(samples.subject),
        baseline: `one: ${show(samples.baseline)}`,
        result: `${showSpread(toBaseline(samples, rateOf))} of its requests a second, ${showSpread(cpu)} of its CPU time`,
        goal: '',
        met: null,
      },
    ];
  },
};

async function onSqlite(bench: Bench, many: number, compared: Compared): Promise<Row[]> {
  const domains = Math.min(many, bench.effort.mostDomains);
  const both = await onBoth(bench, async (checkout) => startServer(bench, await bench.populate(domains, { checkout })));
  return [await compare(bench, both, compared)];
}

interface Compared {
  words: string;
  /** Share of the bare server's requests a second. */
  goal: number | null;
  /** CPU time of a database server so far. */
  databaseMicros?: () => Promise<number>;
}

async function compare(bench: Bench, both: Both<Serving>, { words, goal, databaseMicros }: Compared): Promise<Row> {
  const load = await bench.start<Load>('load');
  const { population } = both.subject;
  const bare = { ...(await startBare(bench, both.subject)), population };
  const contenders = {
    ...eachOf(both, (server) => sample(bench, load, server, databaseMicros)),
    baseline: () => sample(bench, load, bare),
  };
  const samples = await alternateWarm(bench.effort, contenders, 2);
  const rate = toBaseline(samples, rateOf);
  return {
    figure: `getDomain, ${showNumber(population.domains)} domains ${words}`,
    measured: show(samples.subject),
    baseline: show(samples.baseline),
    result: `${showSpread(rate)} of its requests a second`,
    goal: goal === null ? '' : `${goal}`,
    met: goal === null ? null : rate.median >= goal,
    against: toOther(samples, show, { rate: rateOf, 'CPU time': ({ micros }) => micros }),
  };
}

interface Sample {
  perSecond: number;
  /** CPU time of a request in Nameplate's process, and in the database server. */
  micros: number;
  databaseMicros: number;
}

async function sample(
  { effort }: Bench,
  load: Part<Load>,
  server: Listening & Pick<Serving, 'population'>,
  databaseMicros = async () => 0,
): Promise<Sample> {
  const before = await databaseMicros();
  const target = { ...getting(server.population), connections: CONNECTIONS, seconds: effort.seconds };
  const { perSecond, microsPerRequest, requests } = await saturate(load, server, target);
  return { perSecond, micros: microsPerRequest, databaseMicros: ((await databaseMicros()) - before) / requests };
}

const rateOf = ({ perSecond }: Sample) => perSecond;

function show(samples: Sample[]): string {
  const [perSecond, micros, database] = [
    medianOf(samples, rateOf),
    medianOf(samples, (one) => one.micros),
    medianOf(samples, (one) => one.databaseMicros),
  ].map((value) => showNumber(value));
  return `${perSecond}/s, ${micros} CPU-µs each${database === '0' ? '' : ` and ${database} of the server`}`;
}
