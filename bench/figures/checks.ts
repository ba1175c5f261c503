import {
  alternateWarm,
  type Bench,
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
import type { Part } from '../part.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { Ran, VerifierPart } from '../parts/verifier.ts';

const GOAL = 0.6;
/** Enough that the loop never waits, few enough that no answer is lost in a full buffer. */
const CHECKS_AT_ONCE = 200;
const DOMAINS = 20_000;

/** Checks a second over the whole loop, against as many queries alone: the same sockets, the same nameserver. */
export const checks: Figure = {
  name: 'checks',
  measure: async (bench) => [
    await compare(bench, 'each with a change, which it looks at everywhere and saves', 'wrong'),
    await compare(bench, 'each with nothing new, and every tenth a look at everything', 'absent'),
  ],
};

async function compare(bench: Bench, words: string, records: 'wrong' | 'absent'): Promise<Row> {
  const { effort } = bench;
  const nameserver = await bench.start<Nameserver>('nameserver');
  const port = await nameserver.call.start(records);
  const both = await onBoth(bench, async (checkout) => {
    const { path, domains, zones } = await bench.populate(Math.min(DOMAINS, effort.mostDomains), { checkout });
    const part = await bench.start<VerifierPart>('verifier', { profiled: true, checkout });
    // Every domain is due all the time.
    await part.call.open({ path, port, checkIntervalMs: 1 });
    await part.call.warmUp(domains);
    return { part, domains, zones };
  });
  const whole = ({ part }: { part: Part<VerifierPart> }) => sample(part, () => part.call.run(effort.seconds));
  const { queriesPerCheck } = await whole(both.subject);
  const bare = await bench.start<VerifierPart>('verifier');
  const { domains, zones } = both.subject;
  const asking = { port, domains, zones, checksAtOnce: CHECKS_AT_ONCE, seconds: effort.seconds, queriesPerCheck };
  const contenders = { ...eachOf(both, whole), baseline: () => sample(bare, () => bare.call.ask(asking)) };
  const samples = await alternateWarm(effort, contenders);
  await Promise.all([nameserver, bare, both.subject.part, both.against?.part].map((part) => part?.stop()));
  const rate = toBaseline(samples, ({ perSecond }) => perSecond);
  return {
    figure: `checks a second, ${words}; ${showNumber(domains)} domains in as many zones`,
    measured: show(samples.subject),
    baseline: show(samples.baseline),
    result: `${showSpread(rate)} of its checks a second`,
    goal: `${GOAL}`,
    met: rate.median >= GOAL,
    against: toOther(samples, show, {
      rate: ({ perSecond }) => perSecond,
      'CPU time': ({ microsPerCheck }) => microsPerCheck,
    }),
  };
}

/** One run of checks. */
export interface CheckSample {
  perSecond: number;
  microsPerCheck: number;
  queriesPerCheck: number;
  queriesLost: number;
}

/** Runs checks and sees what they cost. */
export async function sample(part: Part<VerifierPart>, run: () => Promise<Ran>): Promise<CheckSample> {
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

function show(samples: CheckSample[]): string {
  const perSecond = medianOf(samples, (one) => one.perSecond);
  const micros = medianOf(samples, (one) => one.microsPerCheck);
  const asked = medianOf(samples, (one) => one.queriesPerCheck).toFixed(1);
  const lost = samples.reduce((sum, one) => sum + one.queriesLost, 0);
  return `${showNumber(perSecond)}/s, ${showNumber(micros)} CPU-µs and ${asked} queries each${lost > 0 ? `, ${lost} queries unanswered` : ''}`;
}
