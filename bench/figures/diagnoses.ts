import { setTimeout as delay } from 'node:timers/promises';
import { latenessBetween, readCheckCounts } from '../check-metrics.ts';
import { alternate, type Bench, type Figure, type Row, showNumber, showSpread, toBaseline } from '../figure.ts';
import { type Serving, startServer } from '../http.ts';
import type { Load, Saturated } from '../parts/load.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import { quantile } from '../spread.ts';

const DOMAINS = 5000;
/** Limits of one workspace. */
const AT_ONCE = 10;
const GOAL_MS = 1000;
const LIMIT_MS = 10_000;
/** Over the limit: the request itself. */
const SLACK_MS = 250;
const CROWD = 50;
const LATENESS_GOAL = 2;
const SETTLE_MS = 5000;
const ROUNDS = 3;

/** `connections` ask as fast as they get responses, for so many seconds; each at least once. */
type Diagnose = (connections: number, seconds: number) => Promise<Saturated>;

/**
 * How long somebody waits who asks why a domain is not verified, and what that costs the background checks of the same
 * process.
 */
export const diagnoses: Figure = {
  name: 'diagnoses',
  async measure(bench) {
    const { effort } = bench;
    const population = await bench.populate(Math.min(DOMAINS, effort.mostDomains));
    const nameserver = await bench.start<Nameserver>('nameserver');
    const dnsPort = await nameserver.call.start('absent');
    const server = await startServer(bench, population, { dnsPort, env: { NAMEPLATE_ROLES: 'api,verifier' } });
    const load = await bench.start<Load>('load');
    const { rootKey, domains, zones } = population;
    const ask = { operation: 'domains.diagnoseDomain', domains, zones } as const;
    const diagnose: Diagnose = (connections, seconds) =>
      load.call.saturate({ port: server.port, rootKey, ask, connections, seconds });

    await nameserver.call.delay(20);
    await diagnose(AT_ONCE, 1);
    const near = await diagnose(AT_ONCE, 10 * effort.seconds);
    await nameserver.call.delay(null);
    const dead = await diagnose(AT_ONCE, 0);
    await nameserver.call.delay(0);
    return [
      {
        figure: `domains.diagnoseDomain, nameservers that answer in 20 ms, ${AT_ONCE} at once`,
        measured: `p50 ${inSeconds(near.p50Ms)}, p95 ${inSeconds(near.p95Ms)}; ${counted(near)}`,
        baseline: '',
        result: `p95 ${inSeconds(near.p95Ms)}`,
        goal: `under ${GOAL_MS / 1000} s`,
        met: near.p95Ms < GOAL_MS,
      },
      {
        figure: 'domains.diagnoseDomain, all nameservers dead',
        measured: `p50 ${inSeconds(dead.p50Ms)}, longest ${inSeconds(dead.longestMs)}; ${counted(dead)}`,
        baseline: '',
        result: `longest ${inSeconds(dead.longestMs)}`,
        goal: `under ${(LIMIT_MS + SLACK_MS) / 1000} s`,
        met: dead.longestMs < LIMIT_MS + SLACK_MS,
      },
      await beside(bench, server, diagnose),
    ];
  },
};

/** 50 requests of one workspace at once, again and again, beside the checks of all its domains. */
async function beside(bench: Bench, { population, metrics }: Serving, diagnose: Diagnose): Promise<Row> {
  const { effort } = bench;
  const seconds = 10 * effort.seconds;
  const total = { answers: 0, refused: 0 };
  bench.say('a minute in which each domain is checked, so that later checks find what they know');
  await delay(Math.min(75_000, effort.scheduleSeconds * 1000 + 15_000));

  const p99 = async (measure: () => Promise<unknown>) => {
    await delay(SETTLE_MS);
    const before = await readCheckCounts(metrics);
    await measure();
    return latenessBetween(before, await readCheckCounts(metrics), 0.99);
  };
  const crowded = async () => {
    const { answers, refused } = await diagnose(CROWD, seconds);
    total.answers += answers;
    total.refused += refused;
  };
  const samples = await alternate(
    { rounds: Math.min(ROUNDS, effort.rounds) },
    { subject: () => p99(crowded), baseline: () => p99(() => delay(seconds * 1000)) },
  );
  const ratio = toBaseline(samples, (ms) => ms);
  const show = (values: number[]) => `${quantile(values, 0.5).toFixed(0)} ms`;
  return {
    figure: `p99 delay of checks, ${showNumber(population.domains)} pending domains, beside ${CROWD} diagnoses at once of one workspace (${counted(total)})`,
    measured: show(samples.subject),
    baseline: show(samples.baseline),
    result: `${showSpread(ratio)} times as long`,
    goal: `within ${LATENESS_GOAL} times`,
    met: ratio.median <= LATENESS_GOAL,
  };
}

function counted({ answers, refused }: Pick<Saturated, 'answers' | 'refused'>): string {
  return `${showNumber(answers)} answered, ${showNumber(refused)} refused`;
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
