import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificates, nameOf } from '../edge/certificates.ts';
import { type BenchPrograms, benchPrograms, type Loaded, type Program } from '../edge/programs.ts';
import { alternate, type Bench, type Figure, medianOf, type Row, showNumber, showSpread } from '../figure.ts';
import type { Part } from '../part.ts';
import type { EdgePart } from '../parts/edge.ts';
import type { Handshakes } from '../parts/handshakes.ts';
import { ratioOf, type Spread } from '../spread.ts';

// Nameplate's edge and Debian's Caddy in one run: the same certificates, origin (nginx) and client (h2load), on the same cores.

/** Caddy's figure. */
const GOAL = 1;
const RATE_GOAL = `${GOAL} or more`;
const COST_GOAL = `${GOAL} or less`;
const NAMES = 10;
const MANY = 10_000;
/** As `nameplate serve` has it unless configured. */
const TLS_CONTEXTS = 2000;
const THREADS = 2;
const MEGABYTE = 1_000_000;

type Protocol = 'h1' | 'h2';
const WORDS = { h1: 'HTTP/1.1', h2: 'HTTP/2' };

interface Sample extends Loaded {
  cpuMicros: number;
}

interface Served {
  port: number;
  cpuMicros(): Promise<number>;
}

/** Requests that are forwarded, by one thread and by as many as there are cores. */
export const edge: Figure = {
  name: 'edge',
  measure: (bench) =>
    within(bench, async ({ programs, origin, caddy, open }) => {
      const rows: Row[] = [];
      for (const threads of [THREADS, 1]) {
        const ours = await open(threads);
        for (const protocol of ['h1', 'h2'] as const) {
          const words = `over ${WORDS[protocol]}, ${threads === 1 ? 'one thread' : `${threads} threads`}`;
          rows.push(...(await compare(bench, programs, { words, protocol, subject: ours, baseline: caddy })));
        }
        await ours.part.stop();
      }
      const behind = await open(THREADS, true);
      const front = await programs.startCaddy(bench.path('edge'), {
        certificates: certificatesOf(bench),
        port: behind.http,
      });
      for (const protocol of ['h1', 'h2'] as const) {
        const words = `over ${WORDS[protocol]}, Caddy in front of Nameplate`;
        rows.push(...(await compare(bench, programs, { words, protocol, subject: front, baseline: caddy })));
      }
      await Promise.all([front.stop(), origin.stop()]);
      return rows;
    }),
};

/** TLS handshakes from the beginning, none resumed. */
export const handshakes: Figure = {
  name: 'handshakes',
  measure: (bench) =>
    within(bench, async ({ caddy, open }) => {
      const ours = await open(THREADS);
      const client = await bench.start<Handshakes>('handshakes');
      const shake = async (served: Served) => {
        const before = await served.cpuMicros();
        const { done, seconds } = await client.call.shake({
          port: served.port,
          names: NAMES,
          atOnce: 16,
          seconds: bench.effort.seconds,
        });
        return { perSecond: done / seconds, cpuMicros: ((await served.cpuMicros()) - before) / done };
      };
      await shake(ours);
      await shake(caddy);
      const samples = await alternate(
        bench.effort,
        () => shake(ours),
        () => shake(caddy),
      );
      const show = (some: { perSecond: number; cpuMicros: number }[]) =>
        `${showNumber(medianOf(some, (one) => one.perSecond))}/s, ${showNumber(medianOf(some, (one) => one.cpuMicros))} CPU-µs each`;
      const ratio = ratioOf(
        samples.subject.map((one) => one.perSecond),
        samples.baseline.map((one) => one.perSecond),
      );
      const cpu = ratioOf(
        samples.subject.map((one) => one.cpuMicros),
        samples.baseline.map((one) => one.cpuMicros),
      );
      return [
        {
          figure: 'new TLS handshakes a second',
          measured: show(samples.subject),
          baseline: show(samples.baseline),
          result: `${showSpread(ratio)} of its rate, ${showSpread(cpu)} of its CPU time`,
          goal: RATE_GOAL,
          met: ratio.median >= GOAL,
        },
      ];
    }),
};

/** Memory when each of many names has been requested. */
export const edgeMemory: Figure = {
  name: 'edge-memory',
  async measure(bench) {
    const count = Math.min(MANY, bench.effort.mostDomains / 100);
    return within(
      bench,
      async ({ caddy, open }) => {
        const ours = await open(1);
        const client = await bench.start<Handshakes>('handshakes');
        const before = await ours.part.call.memory();
        const all = (port: number) => client.call.shake({ port, names: count, atOnce: 16, handshakes: count });
        await all(ours.port);
        await all(caddy.port);
        // Twice, to show growth with requests rather than with names.
        const once = await ours.part.call.memory();
        await all(ours.port);
        const [measured, baseline] = [await ours.part.call.memory(), await caddy.memory()];
        return [
          {
            figure: `memory with ${showNumber(count)} certificates, each requested twice`,
            measured: `${megabytes(measured)} (${megabytes(once)} after one request each, ${megabytes(before)} with none)`,
            baseline: megabytes(baseline),
            result: `${(measured / baseline).toFixed(2)} of its memory`,
            goal: `bounded; ${COST_GOAL}`,
            met: measured <= baseline * GOAL,
          },
        ];
      },
      count,
    );
  },
};

interface Site {
  programs: BenchPrograms;
  origin: Program;
  caddy: Program;
  open(threads: number, behind?: boolean): Promise<Served & { http: number; part: Part<EdgePart> }>;
}

async function within(bench: Bench, measure: (site: Site) => Promise<Row[]>, names = NAMES): Promise<Row[]> {
  const directory = bench.path('edge');
  // Each figure makes its own.
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  const programs = await benchPrograms().catch((error: Error) => {
    bench.say(`skipped, since Debian's packages caddy, nginx and nghttp2-client are needed: ${error.message}`);
    return null;
  });
  if (programs === null) return [];
  const certificates = certificatesOf(bench, names);
  await makeCertificates(certificates, names);
  const running: Program[] = [];
  try {
    const origin = await programs.startOrigin(directory);
    running.push(origin);
    const caddy = await programs.startCaddy(directory, { certificates, port: origin.port });
    running.push(caddy);
    const open = async (threads: number, behind = false) => {
      const part = await bench.start<EdgePart>('edge', { profiled: !behind });
      const settings = { directory: certificates, originPort: origin.port, threads, tlsContexts: TLS_CONTEXTS, behind };
      const { http, https } = await part.call.open(settings);
      return { part, http, port: https, cpuMicros: () => part.cpuMicros() };
    };
    return await measure({ programs, origin, caddy, open });
  } finally {
    await Promise.all(running.map((program) => program.stop()));
  }
}

function certificatesOf(bench: Bench, names = NAMES): string {
  return join(bench.path('edge'), `certificates-${names}`);
}

interface Comparison {
  words: string;
  protocol: Protocol;
  subject: Served;
  baseline: Served;
}

async function compare(
  { effort, path }: Bench,
  programs: BenchPrograms,
  { words, protocol, subject, baseline }: Comparison,
): Promise<Row[]> {
  const seconds = Math.ceil(effort.seconds);
  const sample = async (served: Served): Promise<Sample> => {
    const before = await served.cpuMicros();
    const loading = { port: served.port, name: nameOf(0), protocol, seconds, log: path('h2load.log') };
    const loaded = await programs.load(loading);
    // Its second of warming up counts, too.
    const requests = loaded.perSecond * (seconds + 1);
    return { ...loaded, cpuMicros: ((await served.cpuMicros()) - before) / requests };
  };
  await sample(subject);
  await sample(baseline);
  const samples = await alternate(
    effort,
    () => sample(subject),
    () => sample(baseline),
  );
  const compared = (read: (one: Sample) => number) => ratioOf(samples.subject.map(read), samples.baseline.map(read));
  const rate = compared((one) => one.perSecond);
  const p99 = compared((one) => one.p99);
  const cpu = compared((one) => one.cpuMicros);
  const rateOf = (some: Sample[]) =>
    `${showNumber(medianOf(some, (one) => one.perSecond))}/s, ${showNumber(medianOf(some, (one) => one.cpuMicros))} CPU-µs each`;
  const p99Of = (some: Sample[]) =>
    `${showNumber(
      medianOf(some, (one) => one.p99),
      1,
    )} ms`;
  return [
    row(`requests a second ${words}`, [rateOf(samples.subject), rateOf(samples.baseline)], {
      result: `${showSpread(rate)} of its rate, ${showSpread(cpu)} of its CPU time`,
      goal: RATE_GOAL,
      met: rate.median >= GOAL,
    }),
    row(`p99 ${words}`, [p99Of(samples.subject), p99Of(samples.baseline)], {
      result: `${showSpread(p99)} times`,
      goal: COST_GOAL,
      met: isNoWorse(p99),
    }),
  ];
}

function row(
  figure: string,
  [measured, baseline]: [string, string],
  about: { result: string; goal: string; met: boolean },
): Row {
  return { figure, measured, baseline, ...about };
}

function isNoWorse({ median }: Spread): boolean {
  return median <= GOAL;
}

function megabytes(bytes: number): string {
  return `${showNumber(bytes / MEGABYTE)} MB`;
}
