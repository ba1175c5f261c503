import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type DnsLoaded, type DnsPrograms, startDnsPrograms, ZONE } from '../dns-load.ts';
import { nameOf } from '../edge/certificates.ts';
import {
  alternate,
  alternateWarm,
  type Bench,
  type Figure,
  medianOf,
  type Row,
  type Samples,
  showNumber,
  showSpread,
  toBaseline,
} from '../figure.ts';
import { CONNECTIONS, getting, pace, saturate, startServer } from '../http.ts';
import type { Part } from '../part.ts';
import type { Load } from '../parts/load.ts';
import type { Server } from '../parts/server.ts';
import { within } from './edge.ts';

/** Answers a second on one core. */
const GOAL = 20_000;
const PACE = GOAL / 2;
const P99_GOAL_MS = 2;
/** How much longer others may take beside it. */
const BESIDE_GOAL = 1.2;

interface Answering {
  port: number;
  cpuMicros(): Promise<number>;
}

type Sample = DnsLoaded & { cpuMicros: number };

/** The role `dns` and Knot, each asked for random targets by dnsperf: as fast as they answer, and at a constant rate. */
export const dns: Figure = {
  name: 'dns',
  async measure(bench) {
    const programs = await startDnsPrograms(bench);
    try {
      const server = await startDns(bench);
      const seconds = Math.ceil(bench.effort.seconds);
      const sampleOf =
        (perSecond: number | null) =>
        async ({ port, cpuMicros }: Answering): Promise<Sample> => {
          const before = await cpuMicros();
          const loaded = await programs.load(port, { seconds, perSecond });
          return { ...loaded, cpuMicros: ((await cpuMicros()) - before) / loaded.answers };
        };
      const measure = async (perSecond: number | null) => {
        const sample = sampleOf(perSecond);
        const contenders = { subject: () => sample(server), baseline: () => sample(programs.knot) };
        return alternateWarm(bench.effort, contenders);
      };
      return [rateRow(await measure(null)), paceRow(await measure(PACE))];
    } finally {
      await programs.knot.stop();
    }
  },
};

function rateRow(samples: Samples<Sample>): Row {
  const rate = toBaseline(samples, (one) => one.perSecond);
  const cpu = toBaseline(samples, (one) => one.cpuMicros);
  // At full speed it may have more than its core's share of the machine, or less: CPU time says what a core would do.
  const ofOneCore = 1e6 / medianOf(samples.subject, (one) => one.cpuMicros);
  return {
    figure: 'DNS answers a second over UDP, random targets',
    measured: showRate(samples.subject),
    baseline: showRate(samples.baseline),
    result: `${showNumber(ofOneCore)} on one core; ${showSpread(rate)} of Knot's rate, ${showSpread(cpu)} of its CPU time`,
    goal: `${showNumber(GOAL)} on one core`,
    met: ofOneCore >= GOAL,
  };
}

function paceRow(samples: Samples<Sample>): Row {
  const p99 = medianOf(samples.subject, p99Of);
  return {
    figure: `p99 of DNS answers at ${showNumber(PACE)}/s`,
    measured: showP99(samples.subject),
    baseline: showP99(samples.baseline),
    result: `${p99.toFixed(2)} ms; ${showSpread(toBaseline(samples, p99Of))} times as long`,
    goal: `under ${P99_GOAL_MS} ms`,
    met: p99 < P99_GOAL_MS,
  };
}

/** Others of the process, and of the machine, beside so many queries to our server, and beside as many to Knot. */
export const dnsBeside: Figure = {
  name: 'dnsBeside',
  async measure(bench) {
    const programs = await startDnsPrograms(bench);
    try {
      return [await besideGetDomain(bench, programs), ...(await besideEdge(bench, programs))];
    } finally {
      await programs.knot.stop();
    }
  },
};

/** In the same process. */
async function besideGetDomain(bench: Bench, programs: DnsPrograms): Promise<Row> {
  const { effort } = bench;
  const load = await bench.start<Load>('load');
  const port = await freePort();
  const population = await bench.populate(Math.min(10_000, effort.mostDomains));
  const server = await startServer(bench, population, { env: { ...envOf(port), NAMEPLATE_ROLES: 'api,dns' } });
  const asked = { ...getting(population), connections: CONNECTIONS, seconds: 2 * effort.seconds };
  await saturate(load, server, asked);
  const perSecond = (await saturate(load, server, asked)).perSecond / 4;
  const beside = async (at: number) => {
    const [{ p99Ms }] = await Promise.all([
      pace(load, server, { ...asked, perSecond }),
      programs.load(at, { seconds: Math.ceil(asked.seconds), perSecond: PACE }),
    ]);
    return { p99Ms };
  };
  const samples = await alternate(effort, { subject: () => beside(port), baseline: () => beside(programs.knot.port) });
  await Promise.all([server.part.stop(), load.stop()]);
  return besideRow(`getDomain at ${showNumber(perSecond)}/s`, samples);
}

/** In a process of its own. */
function besideEdge(bench: Bench, dnsPrograms: DnsPrograms): Promise<Row[]> {
  return within(bench, async ({ programs, open }) => {
    const server = await startDns(bench);
    const { port } = await open({ threads: 1 });
    const seconds = Math.ceil(bench.effort.seconds);
    const beside = async (at: number) => {
      const loading = { port, name: nameOf(0), protocol: 'h1' as const, seconds, log: bench.path('h2load.log') };
      const [{ p99: p99Ms }] = await Promise.all([
        programs.load(loading),
        dnsPrograms.load(at, { seconds: seconds + 1, perSecond: PACE }),
      ]);
      return { p99Ms };
    };
    const contenders = { subject: () => beside(server.port), baseline: () => beside(dnsPrograms.knot.port) };
    return [
      besideRow('the edge over HTTP/1.1, one thread at full speed', await alternateWarm(bench.effort, contenders)),
    ];
  });
}

function besideRow(what: string, samples: Samples<{ p99Ms: number }>): Row {
  const p99 = toBaseline(samples, ({ p99Ms }) => p99Ms);
  return {
    figure: `p99 of ${what}, beside ${showNumber(PACE)} DNS answers a second`,
    measured: showP99(samples.subject),
    baseline: showP99(samples.baseline),
    result: `${showSpread(p99)} times as long`,
    goal: `within ${BESIDE_GOAL} times`,
    met: p99.median <= BESIDE_GOAL,
  };
}

async function startDns(bench: Bench): Promise<Answering & { part: Part<Server> }> {
  const part = await bench.start<Server>('server', { profiled: true });
  const port = await freePort();
  await part.call.start({
    databaseUrl: `sqlite:${bench.path(`dns-${port}.db`)}`,
    dnsPort: 53,
    checkIntervalMs: CHECK_INTERVAL_MS,
    env: { ...envOf(port), NAMEPLATE_ROLES: 'dns' },
  });
  return { part, port, cpuMicros: () => part.cpuMicros() };
}

function envOf(port: number): Record<string, string> {
  return {
    NAMEPLATE_CNAME_ZONE: ZONE,
    NAMEPLATE_CNAME_ZONE_DELEGATED: 'on',
    NAMEPLATE_DNS_SERVERS: `ns1.${ZONE}=192.0.2.53`,
    NAMEPLATE_DNS_LISTEN: `127.0.0.1:${port}`,
    // All queries of the measurement come from one network.
    NAMEPLATE_DNS_RESPONSES_PER_SECOND: '0',
    NAMEPLATE_EDGE_ADDRESSES: '192.0.2.10',
  };
}

const p99Of = ({ p99Ms }: { p99Ms: number | null }) => p99Ms ?? Number.NaN;

function showRate(samples: Sample[]): string {
  const micros = medianOf(samples, (one) => one.cpuMicros).toFixed(1);
  return `${showNumber(medianOf(samples, (one) => one.perSecond))}/s, ${micros} CPU-µs each`;
}

function showP99(samples: { p99Ms: number | null }[]): string {
  return `${medianOf(samples, p99Of).toFixed(2)} ms`;
}
