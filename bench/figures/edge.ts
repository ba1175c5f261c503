import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkout, PRESENT } from '../checkout.ts';
import { makeCertificates, nameOf } from '../edge/certificates.ts';
import { type BenchPrograms, benchPrograms, type Loaded, type Program } from '../edge/programs.ts';
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
import type { Part } from '../part.ts';
import type { EdgePart } from '../parts/edge.ts';
import type { Handshakes } from '../parts/handshakes.ts';

// Nameplate's edge and Debian's Caddy in one run: the same certificates, origin (nginx) and client (h2load), on the
// same cores.

/** Caddy's figure. */
const GOAL = 1;
/** The goal beside a Caddy in front that forwards to the origin itself. */
const DIRECT_GOAL = 0.95;
const NAMES = 10;
const MANY = 10_000;
/** As `nameplate serve` has it unless configured. */
const TLS_CONTEXTS = 2000;
const THREADS = 2;
const MEGABYTE = 1_000_000;

const PROTOCOLS = { h1: 'HTTP/1.1', h2: 'HTTP/2' } as const;

interface Sample extends Loaded {
  /** CPU-µs of a request: all threads of all processes that it passes, but the origin's. */
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
    within(bench, async ({ programs, caddy, open }) => {
      const rows: Row[] = [];
      for (const threads of [THREADS, 1]) {
        const both = await onBoth(bench, (checkout) => open({ threads, checkout }));
        const words = threads === 1 ? 'one thread' : `${threads} threads`;
        rows.push(...(await compare(bench, programs, { words, both, caddy, goal: GOAL })));
        await Promise.all([both.subject.part.stop(), both.against?.part.stop()]);
      }
      return rows;
    }),
};

/**
 * Caddy in front of Nameplate: as a second proxy, and forwarding to the origin itself as the files of `deploy/caddy`
 * say.
 */
export const caddyInFront: Figure = {
  name: 'caddyInFront',
  measure: (bench) =>
    within(bench, async ({ programs, origin, caddy, open }) => {
      const directory = bench.path('edge');
      const certificates = certificatesOf(bench);
      const both = await onBoth(bench, async (checkout) => {
        const behind = await open({ threads: THREADS, behind: true, checkout });
        return inFront(await programs.startCaddy(directory, { certificates, port: behind.http }), behind);
      });
      const words = 'Caddy in front of Nameplate';
      const rows = await compare(bench, programs, { words, both, caddy, goal: GOAL });
      await both.subject.stop();
      await both.against?.stop();

      const behind = await open({ threads: THREADS, behind: true });
      const ports = { ask: behind.ask, edge: behind.http, origin: origin.port };
      for (const [file, words] of [
        ['one-origin.caddyfile', 'Caddy in front without a second hop, one origin'],
        ['several-origins.caddyfile', 'Caddy in front without a second hop, several origins'],
      ] as const) {
        const direct = await programs.startDeployed(directory, file, ports);
        const both = { subject: inFront(direct, behind), against: undefined };
        rows.push(...(await compare(bench, programs, { words, both, caddy, goal: DIRECT_GOAL })));
        await direct.stop();
      }
      return rows;
    }),
};

/** A program in front, and the edge behind it. */
function inFront(front: Program, { part }: { part: Part<EdgePart> }): Served & { stop(): Promise<void> } {
  return {
    port: front.port,
    cpuMicros: async () => (await front.cpuMicros()) + (await part.cpuMicros()),
    stop: () => front.stop(),
  };
}

/** TLS handshakes from the beginning, none resumed. */
export const handshakes: Figure = {
  name: 'handshakes',
  measure: (bench) =>
    within(bench, async ({ caddy, open }) => {
      const both = await onBoth(bench, (checkout) => open({ threads: THREADS, checkout }));
      const client = await bench.start<Handshakes>('handshakes');
      const { seconds } = bench.effort;
      const shake = async ({ port, cpuMicros }: Served) => {
        const before = await cpuMicros();
        const shaken = await client.call.shake({ port, names: NAMES, atOnce: 16, seconds });
        return { perSecond: shaken.done / shaken.seconds, cpuMicros: ((await cpuMicros()) - before) / shaken.done };
      };
      const contenders = { ...eachOf(both, shake), baseline: () => shake(caddy) };
      const samples = await alternateWarm(bench.effort, contenders);
      const rate = toBaseline(samples, (one) => one.perSecond);
      const cpu = toBaseline(samples, (one) => one.cpuMicros);
      return [
        {
          figure: 'new TLS handshakes a second',
          measured: showRate(samples.subject),
          baseline: showRate(samples.baseline),
          result: `${showSpread(rate)} of its rate, ${showSpread(cpu)} of its CPU time`,
          goal: `${GOAL} or more`,
          met: rate.median >= GOAL,
          against: toOther(samples, showRate, { rate: (one) => one.perSecond, 'CPU time': (one) => one.cpuMicros }),
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
        const client = await bench.start<Handshakes>('handshakes');
        const all = (port: number) => client.call.shake({ port, names: count, atOnce: 16, handshakes: count });
        const { subject, against } = await onBoth(bench, async (checkout) => {
          const { part, port } = await open({ threads: 1, checkout });
          const none = await part.call.memory();
          await all(port);
          // Twice, to show growth with requests rather than with names.
          const once = await part.call.memory();
          await all(port);
          return { none, once, twice: await part.call.memory() };
        });
        await all(caddy.port);
        const baseline = await caddy.memory();
        const { none, once, twice } = subject;
        return [
          {
            figure: `memory with ${showNumber(count)} certificates, each requested twice`,
            measured: `${megabytes(twice)} (${megabytes(once)} after one request each, ${megabytes(none)} with none)`,
            baseline: megabytes(baseline),
            result: `${(twice / baseline).toFixed(2)} of its memory`,
            goal: `bounded; ${GOAL} or less`,
            met: twice <= baseline * GOAL,
            against: against && {
              measured: megabytes(against.twice),
              ratio: `memory ${(twice / against.twice).toFixed(2)}`,
            },
          },
        ];
      },
      count,
    );
  },
};

interface OpenOptions {
  threads: number;
  behind?: boolean;
  checkout?: Checkout;
}

interface Opened extends Served {
  part: Part<EdgePart>;
  http: number;
  ask: number;
}

interface Site {
  programs: BenchPrograms;
  origin: Program;
  caddy: Program;
  open(options: OpenOptions): Promise<Opened>;
}

/** Fetches the programs, and stops them afterwards. */
export async function within(bench: Bench, measure: (site: Site) => Promise<Row[]>, names = NAMES): Promise<Row[]> {
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
  try {
    const origin = await programs.startOrigin(directory);
    const caddy = await programs.startCaddy(directory, { certificates, port: origin.port });
    const open = async ({ threads, behind = false, checkout = PRESENT }: OpenOptions) => {
      const part = await bench.start<EdgePart>('edge', { profiled: !behind, checkout });
      const settings = { directory: certificates, originPort: origin.port, threads, tlsContexts: TLS_CONTEXTS, behind };
      const { http, https, ask } = await part.call.open(settings);
      return { part, http, port: https, ask, cpuMicros: () => part.cpuMicros() };
    };
    return await measure({ programs, origin, caddy, open });
  } finally {
    await programs.stop();
  }
}

function certificatesOf(bench: Bench, names = NAMES): string {
  return join(bench.path('edge'), `certificates-${names}`);
}

interface Comparison {
  words: string;
  both: Both<Served>;
  caddy: Served;
  /** Share of Caddy's rate. */
  goal: number;
}

/** Rate and p99 over both protocols. */
async function compare(
  { effort, path }: Bench,
  programs: BenchPrograms,
  { words, both, caddy, goal }: Comparison,
): Promise<Row[]> {
  const rows: Row[] = [];
  const seconds = Math.ceil(effort.seconds);
  for (const protocol of ['h1', 'h2'] as const) {
    const sample = async (served: Served): Promise<Sample> => {
      const before = await served.cpuMicros();
      const loading = { port: served.port, name: nameOf(0), protocol, seconds, log: path('h2load.log') };
      const loaded = await programs.load(loading);
      // Its second of warming up counts, too.
      const requests = loaded.perSecond * (seconds + 1);
      return { ...loaded, cpuMicros: ((await served.cpuMicros()) - before) / requests };
    };
    const contenders = { ...eachOf(both, sample), baseline: () => sample(caddy) };
    const samples = await alternateWarm(effort, contenders);
    const rate = toBaseline(samples, (one) => one.perSecond);
    const p99 = toBaseline(samples, (one) => one.p99);
    const cpu = toBaseline(samples, (one) => one.cpuMicros);
    const longest = (1 / goal).toFixed(2).replace('.00', '');
    rows.push(
      {
        figure: `requests a second over ${PROTOCOLS[protocol]}, ${words}`,
        measured: showRate(samples.subject),
        baseline: showRate(samples.baseline),
        result: `${showSpread(rate)} of its rate, ${showSpread(cpu)} of its CPU time`,
        goal: `${goal} or more`,
        met: rate.median >= goal,
        against: toOther(samples, showRate, { rate: (one) => one.perSecond, 'CPU time': (one) => one.cpuMicros }),
      },
      {
        figure: `p99 over ${PROTOCOLS[protocol]}, ${words}`,
        measured: showP99(samples.subject),
        baseline: showP99(samples.baseline),
        result: `${showSpread(p99)} times`,
        goal: `${longest} or less`,
        met: p99.median <= 1 / goal,
        against: toOther(samples, showP99, { p99: (one) => one.p99 }),
      },
    );
  }
  return rows;
}

function showRate(some: { perSecond: number; cpuMicros: number }[]): string {
  const perSecond = medianOf(some, (one) => one.perSecond);
  const cpuMicros = medianOf(some, (one) => one.cpuMicros);
  return `${showNumber(perSecond)}/s, ${showNumber(cpuMicros)} CPU-µs each`;
}

function showP99(some: Loaded[]): string {
  const milliseconds = medianOf(some, (one) => one.p99);
  return `${showNumber(milliseconds, 1)} ms`;
}

function megabytes(bytes: number): string {
  return `${showNumber(bytes / MEGABYTE)} MB`;
}
