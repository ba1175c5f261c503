import { setTimeout as delay } from 'node:timers/promises';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import type { Checkout } from '../checkout.ts';
import { type Bench, type Figure, onBoth, type Row, showNumber } from '../figure.ts';
import type { Part } from '../part.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { VerifierPart } from '../parts/verifier.ts';
import type { Population } from '../population.ts';
import { quantile } from '../spread.ts';

const LATENESS_GOAL_MS = 5000;
const SCHEDULE_GOAL_MS = 66_000;
const RETRY_GOAL_MS = 2000;
/**
 * Domains whose records appear while the schedule is watched, found by the schedule; and as many that are asked to be
 * checked then.
 */
const APPEARING = 500;
const PATIENCE_MS = 80_000;

/**
 * 100,000 pending domains, each in its own zone, in one process at the real interval: how late checks are, and how soon
 * records are found.
 */
export const schedule: Figure = {
  name: 'schedule',
  async measure(bench) {
    const { subject, against } = await onBoth(bench, (checkout) => follow(bench, checkout));
    const { checks, cpuMicros, queriesLost } = subject;
    const { scheduled } = bench.effort;
    const besides = `${showNumber(cpuMicros / checks)} CPU-µs each, ${showNumber(queriesLost)} queries unanswered`;
    const row = (figure: string, read: (followed: Followed) => number[], goalMs: number): Row =>
      rowOf({ figure, waitsMs: read(subject), otherMs: against && read(against), goalMs });
    const lateness = row(
      `delay of ${showNumber(checks)} checks, ${showNumber(scheduled)} pending domains`,
      ({ latenessMs }) => latenessMs,
      LATENESS_GOAL_MS,
    );
    return [
      { ...lateness, measured: `${lateness.measured}; ${besides}` },
      row(
        `record visible → verified, on schedule, ${APPEARING} domains`,
        ({ scheduleMs }) => scheduleMs,
        SCHEDULE_GOAL_MS,
      ),
      row(`verifyDomain → verified, ${APPEARING} domains`, ({ retryMs }) => retryMs, RETRY_GOAL_MS),
    ];
  },
};

interface Followed extends Pick<Watched, 'checks' | 'latenessMs' | 'queriesLost'> {
  /** From record to `verified`, by the schedule and by a retry. */
  scheduleMs: number[];
  retryMs: number[];
  cpuMicros: number;
}

async function follow(bench: Bench, checkout: Checkout): Promise<Followed> {
  const { scheduled, scheduleSeconds } = bench.effort;
  const nameserver = await bench.start<Nameserver>('nameserver');
  const port = await nameserver.call.start('absent');
  const verifier = await bench.start<VerifierPart>('verifier', { profiled: true, checkout });
  const population = await bench.populate(scheduled, { checkout });
  await verifier.call.open({ path: population.path, port, checkIntervalMs: CHECK_INTERVAL_MS });
  const cpuBefore = await verifier.cpuMicros();
  await verifier.call.start();

  bench.say(`records appear for ${scheduleSeconds} s; then a minute until all are found`);
  const waiting = { population, nameserver, verifier };
  const [onSchedule, onRetry] = await Promise.all([
    appear(waiting, 0, scheduleSeconds, ({ publishedAt }) => publishedAt),
    appear(waiting, APPEARING, scheduleSeconds, ({ id }) => verifier.call.retry(population, id)),
  ]);
  const watched = await watch(bench, verifier, 2 * APPEARING);
  const cpuMicros = (await verifier.cpuMicros()) - cpuBefore;
  await Promise.all([verifier.stop(), nameserver.stop()]);
  const waits = (since: Map<string, number>) =>
    [...since].map(([name, at]) => (watched.verifiedAt.get(name) ?? Number.POSITIVE_INFINITY) - at);
  return { ...watched, scheduleMs: waits(onSchedule), retryMs: waits(onRetry), cpuMicros };
}

interface Waiting {
  population: Population;
  nameserver: Part<Nameserver>;
  verifier: Part<VerifierPart>;
}

/** Lets records appear at random moments. Resolves with the time from which each domain's wait counts, by name. */
async function appear(
  { population, nameserver, verifier }: Waiting,
  from: number,
  seconds: number,
  begin: (domain: { id: string; publishedAt: number }) => number | Promise<number>,
): Promise<Map<string, number>> {
  const since = new Map<string, number>();
  // Spread over all numbers, since neighbours are due at neighbouring times.
  const numbers = Array.from({ length: APPEARING }, (_, i) => {
    return Math.floor(((from + i) * population.domains) / (2 * APPEARING));
  });
  await Promise.all(
    numbers.map(async (number) => {
      await delay(Math.random() * seconds * 1000);
      const domain = await verifier.call.find(population, number);
      if (domain === null) throw new Error(`there is no domain ${number}`);
      const publishedAt = await nameserver.call.publish(domain);
      since.set(domain.name, await begin({ id: domain.id, publishedAt }));
    }),
  );
  return since;
}

interface Watched {
  checks: number;
  latenessMs: number[];
  verifiedAt: Map<string, number>;
  queriesLost: number;
}

/** Collects the reports until so many domains are verified. */
async function watch(bench: Bench, verifier: Part<VerifierPart>, expected: number): Promise<Watched> {
  const watched: Watched = { checks: 0, latenessMs: [], verifiedAt: new Map(), queriesLost: 0 };
  const end = performance.now() + PATIENCE_MS;
  while (watched.verifiedAt.size < expected && performance.now() < end) {
    await delay(500);
    const { checks, latenessMs, verified, queriesLost } = await verifier.call.report();
    watched.checks += checks;
    for (const ms of latenessMs) watched.latenessMs.push(ms);
    for (const { name, at } of verified) watched.verifiedAt.set(name, at);
    watched.queriesLost += queriesLost;
  }
  const missing = expected - watched.verifiedAt.size;
  if (missing > 0) bench.say(`${missing} domains were not verified within ${PATIENCE_MS / 1000} s`);
  return watched;
}

interface Waits {
  figure: string;
  waitsMs: number[];
  /** The result of the other commit. */
  otherMs: number[] | undefined;
  goalMs: number;
}

function rowOf({ figure, waitsMs, otherMs, goalMs }: Waits): Row {
  const p99 = quantile(waitsMs, 0.99);
  return {
    figure,
    measured: show(waitsMs),
    baseline: '',
    result: `p99 ${seconds(p99)}`,
    goal: `p99 under ${goalMs / 1000} s`,
    met: p99 < goalMs,
    against: otherMs && { measured: show(otherMs), ratio: `p99 ${(p99 / quantile(otherMs, 0.99)).toFixed(2)}` },
  };
}

function show(waitsMs: number[]): string {
  const [p50 = '', p99 = '', longest = ''] = [0.5, 0.99, 1].map((share) => seconds(quantile(waitsMs, share)));
  return `p50 ${p50}, p99 ${p99}, longest ${longest}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
