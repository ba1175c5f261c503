import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { readCheckCounts } from '../check-metrics.ts';
import {
  alternate,
  alternateWarm,
  type Bench,
  type Effort,
  eachOf,
  type Figure,
  medianOf,
  onBoth,
  type Row,
  type Samples,
  showNumber,
  showSpread,
  toBaseline,
  toOther,
} from '../figure.ts';
import {
  CONNECTIONS,
  getting,
  type PacedSample,
  pace,
  type Serving,
  saturate,
  startBare,
  startServer,
} from '../http.ts';
import type { Part } from '../part.ts';
import type { Load } from '../parts/load.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { Population } from '../population.ts';

const GOAL = 2;
/** Longer than the turns of others: one request in a hundred is to be many requests. */
const TIMES_AS_LONG = 2;
/** Share of the schedule's time, for the first checks of all. */
const FIRST_CHECKS = 10;
/** Time in which requests end that were in flight when a process was paused. */
const SETTLE_MS = 4000;

/**
 * The slowest of a hundred requests, when they come at half the rate that saturates Nameplate; the bare server gets as
 * many.
 */
export const latency: Figure = {
  name: 'latency',
  async measure(bench) {
    const { effort } = bench;
    const domains = Math.min(10_000, effort.mostDomains);
    const load = await bench.start<Load>('load');
    const both = await onBoth(bench, async (checkout) =>
      startServer(bench, await bench.populate(domains, { checkout })),
    );
    const { population } = both.subject;
    const bare = await startBare(bench, both.subject);
    const perSecond = (await saturationOf(bench, load, both.subject)) / 2;
    const paced = { ...asking(bench, population), perSecond };
    const contenders = {
      ...eachOf(both, (server) => pace(load, server, { ...paced, ...getting(server.population) })),
      baseline: () => pace(load, bare, paced),
    };
    const samples = await alternateWarm(effort, contenders);
    return [compare(`p99 of getDomain at ${showNumber(perSecond)}/s, half of what saturates`, samples)];
  },
};

/** The same at a quarter of that rate with checks in the process, against a process without. */
export const beside: Figure = {
  name: 'beside',
  measure: async (bench) => [
    await measureBeside(bench, '100,000 domains checked once a minute', CHECK_INTERVAL_MS),
    await measureBeside(bench, 'checks without a pause', 1),
  ],
};

const DOMAINS = 100_000;

async function measureBeside(bench: Bench, words: string, checkIntervalMs: number): Promise<Row> {
  const domains = Math.min(DOMAINS, bench.effort.mostDomains);
  const nameserver = await bench.start<Nameserver>('nameserver');
  const dnsPort = await nameserver.call.start('absent');
  const load = await bench.start<Load>('load');
  const alone = await startServer(bench, await bench.populate(domains));
  const perSecond = (await saturationOf(bench, load, alone)) / 4;
  const paced = (server: Serving) => pace(load, server, { ...asking(bench, server.population), perSecond });

  const env = { NAMEPLATE_ROLES: 'api,verifier' };
  const both = await onBoth(bench, async (checkout) => {
    const population = await bench.populate(domains, { checkout });
    const server = await startServer(bench, population, { dnsPort, checkIntervalMs, env });
    bench.say('each domain is checked once, so that later checks find what they know');
    await untilChecked(server, domains, bench.effort);
    return { server, inTurn: standingStill(server.part, population) };
  });
  const samples = await alternate(bench.effort, {
    ...eachOf(both, ({ server, inTurn }) => inTurn(() => paced(server))),
    baseline: () => paced(alone),
  });
  await Promise.all([both.subject, both.against].map((one) => one?.server.part.stop()));
  await Promise.all([alone.part.stop(), nameserver.stop(), load.stop()]);
  return compare(`p99 of getDomain at ${showNumber(perSecond)}/s beside ${words}`, samples);
}

/**
 * Until so many checks are done. A first check looks around and takes ten times as long as others, so the schedule's
 * own time is not enough.
 */
async function untilChecked({ metrics }: Serving, domains: number, { scheduleSeconds }: Effort): Promise<void> {
  const end = performance.now() + FIRST_CHECKS * scheduleSeconds * 1000;
  while (performance.now() < end && (await readCheckCounts(metrics)).checks < domains) await delay(500);
}

/** From now on the process runs only in its turns, and its checks become due as if no time passed between them. */
function standingStill(part: Part<unknown>, { path }: Population): <T>(turn: () => Promise<T>) => Promise<T> {
  let since = Date.now();
  part.pause();
  return async (turn) => {
    part.resume();
    const db = new DatabaseSync(path, { timeout: 5000 });
    db.prepare('update checks set next_check_at = next_check_at + ?').run(Date.now() - since);
    db.close();
    await delay(SETTLE_MS);
    const outcome = await turn();
    since = Date.now();
    part.pause();
    return outcome;
  };
}

/** Requests a second at full speed, after a run in which the compilers settle. */
async function saturationOf(bench: Bench, load: Part<Load>, server: Serving): Promise<number> {
  const asked = asking(bench, server.population);
  await saturate(load, server, asked);
  return (await saturate(load, server, asked)).perSecond;
}

function asking({ effort }: Bench, population: Serving['population']) {
  return { ...getting(population), connections: CONNECTIONS, seconds: TIMES_AS_LONG * effort.seconds };
}

function compare(figure: string, samples: Samples<PacedSample>): Row {
  const p99 = toBaseline(samples, ({ p99Ms }) => p99Ms);
  return {
    figure,
    measured: show(samples.subject),
    baseline: show(samples.baseline),
    result: `${showSpread(p99)} times as long`,
    goal: `within ${GOAL} times`,
    met: p99.median <= GOAL,
    against: toOther(samples, show, { p99: ({ p99Ms }) => p99Ms }),
  };
}

function show(samples: PacedSample[]): string {
  const p50 = medianOf(samples, ({ p50Ms }) => p50Ms);
  const p99 = medianOf(samples, ({ p99Ms }) => p99Ms);
  const micros = medianOf(samples, ({ microsPerRequest }) => microsPerRequest);
  return `${p99.toFixed(2)} ms (p50 ${p50.toFixed(2)} ms), ${showNumber(micros)} CPU-µs a request`;
}
