import { alternate, type Bench, type Figure, medianOf, type Row, showNumber, showSpread } from '../figure.ts';
import type { Part } from '../part.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { Ran, VerifierPart } from '../parts/verifier.ts';
import { ratioOf } from '../spread.ts';

/** Checks a second over the whole loop, against as many queries alone: the same sockets, the same nameserver. */
export const checks: Figure = {
  name: 'checks',
  measure: async (bench) => [
    await compare(bench, 'each with a change, which it looks at everywhere and saves', 'wrong'),
    await compare(bench, 'each with nothing new, and every tenth a look at everything', 'absent'),
  ],
};

const GOAL = 0.6;
/** Enough that the loop never waits, few enough that no answer is lost in a full buffer. */
const CHECKS_AT_ONCE = 200;
const DOMAINS = 20_000;

/** One run of checks. */
export interface Sample {
  perSecond: number;
  microsPerCheck: number;
  queriesPerCheck: number;
  queriesLost: number;
}

async function compare(bench: Bench, words: string, records: 'wrong' | 'absent'): Promise<Row> {
  const { effort } = bench;
  const { domains, path } = await bench.populate(Math.min(DOMAINS, effort.mostDomains));
  const nameserver = await bench.start<Nameserver>('nameserver');
  const port = await nameserver.call.start(records);
  const verifier = await bench.start<VerifierPart>('verifier', { profiled: true });
  const bare = await bench.start<VerifierPart>('verifier');
  // Every domain is due all the time.
  await verifier.call.open({ path, port, checkIntervalMs: 1 });

  const whole = () => sample(verifier, () => verifier.call.run(effort.seconds));
  // Until the delegations are known and the compilers have settled.
  await whole();
  const { queriesPerCheck } = await whole();
  const asking = { port, domains, checksAtOnce: CHECKS_AT_ONCE, seconds: effort.seconds, queriesPerCheck };
  const alone = () => sample(bare, () => bare.call.ask(asking));
  await alone();
  const samples = await alternate(effort, whole, alone);
  const ratio = ratioOf(
    samples.subject.map(({ perSecond }) => perSecond),
    samples.baseline.map(({ perSecond }) => perSecond),
  );
  return {
    figure: `checks a second, ${words}`,
    measured: show(samples.subject),
    baseline: show(samples.baseline),
    result: `${showSpread(ratio)} of its checks a second`,
    goal: `${GOAL}`,
    met: ratio.median >= GOAL,
  };
}

/** Runs checks and sees what they cost. */
export async function sample(part: Part<VerifierPart>, run: () => Promise<Ran>): Promise<Sample> {
  const before = await part.cpuMicros();
  const { checks: done, seconds, queries, queriesLost } = await run();
  const micros = (await part.cpuMicros()) - before;
  return {
    perSecond: done / seconds,
    microsPerCheck: micros / done,
    queriesPerCheck: queries / done,
    queriesLost,
  };
}

function show(samples: Sample[]): string {
  const perSecond = medianOf(samples, (one) => one.perSecond);
  const micros = medianOf(samples, (one) => one.microsPerCheck);
  const asked = medianOf(samples, (one) => one.queriesPerCheck).toFixed(1);
  const lost = samples.reduce((sum, one) => sum + one.queriesLost, 0);
  return `${showNumber(perSecond)}/s, ${showNumber(micros)} CPU-µs and ${asked} queries each${lost > 0 ? `, ${lost} queries unanswered` : ''}`;
}
