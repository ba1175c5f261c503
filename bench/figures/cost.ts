import { DatabaseSync } from 'node:sqlite';
import { CHECK_INTERVAL_MS } from '../../src/domain/schedule.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { medianOf, showNumber, showSpread } from '../figure.ts';
import type { Part } from '../part.ts';
import type { Cost } from '../parts/cost.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { VerifierPart } from '../parts/verifier.ts';
import type { Population } from '../population.ts';
import { ratioOf, spreadOf } from '../spread.ts';
import { type Sample, sample } from './checks.ts';

const GOAL = 0.25;
const SIZES = [1000, 10_000, 100_000, 1_000_000];
const SMALLEST = 1000;
const CHECKS_A_SECOND = 5000;

/** CPU time of a check by how many domains are on the schedule: all sizes in turn, as they would be two. */
export const cost: Figure = {
  name: 'cost',
  async measure(bench) {
    const sizes = SIZES.filter((size) => size <= bench.effort.mostDomains);
    const populations: Population[] = [];
    for (const size of sizes) {
      populations.push(size === bench.effort.mostDomains ? await bench.shared(size) : await bench.populate(size));
    }
    const claimed = await measureClaims(bench, populations);
    for (const population of populations) scatter(population, intervalFor(population.domains));
    return [...(await measureChecks(bench, populations)), ...claimed];
  },
};

/** The same where each domain is in a zone of its own. Every zone is read before the measurement. */
export const zones: Figure = {
  name: 'zones',
  async measure(bench) {
    const sizes = [SMALLEST, bench.effort.mostDomains];
    const populations: Population[] = [];
    for (const size of sizes) populations.push(await bench.populate(size, size));
    for (const population of populations) scatter(population, intervalFor(population.domains));
    return measureChecks(bench, populations, ', each in a zone of its own');
  },
};

/** As many checks fall due in a second, and more than can be done, whatever the number of domains. */
function intervalFor(domains: number): number {
  return (CHECK_INTERVAL_MS * domains) / 1_000_000;
}

/** Makes the checks due in no order, as they are once each has been put off by its own jitter a few times. */
function scatter({ path, createdAt }: Population, intervalMs: number): void {
  const db = new DatabaseSync(path);
  db.exec('pragma synchronous = off');
  db.prepare('update checks set next_check_at = ? + abs(random()) % ?').run(createdAt, Math.ceil(intervalMs));
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}

/** Whole checks, their queries included. */
async function measureChecks(bench: Bench, populations: Population[], words = ''): Promise<Row[]> {
  const { effort } = bench;
  const nameserver = await bench.start<Nameserver>('nameserver');
  const port = await nameserver.call.start('absent');
  const measured: { domains: number; zones: number; run: () => Promise<Sample>; samples: Sample[] }[] = [];
  for (const { path, domains, zones } of populations) {
    const part = await bench.start<VerifierPart>('verifier', { profiled: true });
    await part.call.open({ path, port, checkIntervalMs: intervalFor(domains) });
    measured.push({ domains, zones, run: () => sample(part, () => part.call.run(effort.seconds)), samples: [] });
  }
  // Until the delegations are known and the compilers have settled.
  for (const { zones, run } of measured) {
    for (let checked = 0; checked < zones; ) checked += (await run()).perSecond * effort.seconds;
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const { run, samples } of measured) samples.push(await run());
  }
  const smallest = measured[0]?.samples.map(({ microsPerCheck }) => microsPerCheck) ?? [];
  return measured.map(({ domains, samples }) => {
    const micros = samples.map(({ microsPerCheck }) => microsPerCheck);
    const asked = medianOf(samples, ({ queriesPerCheck }) => queriesPerCheck).toFixed(1);
    const ratio = ratioOf(micros, smallest);
    return {
      figure: `a check with ${showNumber(domains)} pending domains${words}`,
      measured: `${showSpread(spreadOf(micros), 0)} CPU-µs, ${asked} queries`,
      baseline: domains === SMALLEST ? '' : `with ${showNumber(SMALLEST)}`,
      result: showSpread(ratio),
      goal: `within ${GOAL * 100}%`,
      met: Math.abs(ratio.median - 1) <= GOAL,
    };
  });
}

/** What claiming and saving are of it. */
async function measureClaims(bench: Bench, populations: Population[]): Promise<Row[]> {
  const { effort } = bench;
  const measured: { domains: number; part: Part<Cost>; micros: number[] }[] = [];
  for (const population of populations) {
    scatter(population, CHECK_INTERVAL_MS);
    const part = await bench.start<Cost>('cost', { profiled: true });
    await part.call.open(population);
    measured.push({ domains: population.domains, part, micros: [] });
  }
  const checks = CHECKS_A_SECOND * effort.seconds;
  for (const { part } of measured) await part.call.measure(checks);
  for (let round = 0; round < effort.rounds; round++) {
    for (const { part, micros } of measured) micros.push(await part.call.measure(checks));
  }
  for (const { part } of measured) await part.stop();
  const smallest = measured[0]?.micros ?? [];
  return measured.map(({ domains, micros }) => ({
    figure: `of which claiming and saving, ${showNumber(domains)} pending domains`,
    measured: `${showSpread(spreadOf(micros), 0)} CPU-µs`,
    baseline: domains === SMALLEST ? '' : `with ${showNumber(SMALLEST)}`,
    result: showSpread(ratioOf(micros, smallest)),
    goal: '',
    met: null,
  }));
}
