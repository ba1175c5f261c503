import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrograms } from '../test/support/debian.ts';
import { freePort } from '../test/support/free-port.ts';
import { seeded } from '../test/support/seeded-random.ts';
import { type Program, startProgram } from './edge/programs.ts';
import type { Bench } from './figure.ts';
import { quantile } from './spread.ts';

/** Knot as the baseline and dnsperf as the client, from Debian's packages. */
export interface DnsPrograms {
  knot: Program;
  load(port: number, options: DnsLoad): Promise<DnsLoaded>;
}

export interface DnsLoad {
  seconds: number;
  /** Queries a second; null: as many as are answered. */
  perSecond: number | null;
}

export interface DnsLoaded {
  perSecond: number;
  answers: number;
  lost: number;
  /** The slowest of a hundred, in milliseconds; null: not measured at full speed. */
  p99Ms: number | null;
}

export const ZONE = 'cname.bench.test';
const NAMES = 100_000;
/** Queries under way at most at full speed. */
const OUTSTANDING = 200;

/** One worker each, as our server has one thread; a zone with a wildcard in place of our targets. */
export async function startDnsPrograms(bench: Bench): Promise<DnsPrograms> {
  const programs = await findPrograms('dns-bench', ['knot', 'dnsperf']);
  const directory = bench.path('dns');
  await mkdir(directory, { recursive: true });
  const port = await freePort();
  const zone = `@ 3600 SOA ns1 hostmaster 1 86400 7200 3600000 5\n@ 3600 NS ns1\nns1 A 192.0.2.53\n* 15 A 192.0.2.10\n`;
  await writeFile(join(directory, 'zone'), `$ORIGIN ${ZONE}.\n${zone}`);
  await writeFile(
    join(directory, 'knot.conf'),
    `server:
  rundir: ${directory}
  listen: 127.0.0.1@${port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: ${directory}
zone:
  - domain: ${ZONE}
    file: ${join(directory, 'zone')}
`,
  );
  const knot = await startProgram(programs, 'knotd', ['-c', join(directory, 'knot.conf')], { directory, port });
  const queries = join(directory, 'queries');
  const random = seeded(1);
  const lines = Array.from({ length: NAMES }, () => `${random.bytes(10).toString('hex')}.${ZONE} A`);
  await writeFile(queries, lines.join('\n'));

  return {
    knot,
    async load(at, { seconds, perSecond }) {
      const words = ['-s', '127.0.0.1', '-p', String(at), '-d', queries, '-l', String(seconds), '-t', '1', '-c', '10'];
      const pace = perSecond === null ? ['-q', String(OUTSTANDING)] : ['-Q', String(perSecond), '-v'];
      const { stdout } = await promisify(execFile)(programs.path('dnsperf'), [...words, ...pace], {
        env: { ...process.env, ...programs.env },
        maxBuffer: 1e9,
      });
      const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
      const [answers, lost] = [number(/Queries completed: +(\d+)/), number(/Queries lost: +(\d+)/)];
      if (!(answers > 0)) throw new Error(`dnsperf did not get what it asked for:\n${stdout.slice(-2000)}`);
      const times = [...stdout.matchAll(/^> NOERROR .* ([\d.]+)$/gm)].map(([, time]) => Number(time) * 1000);
      const p99Ms = perSecond === null ? null : quantile(times, 0.99);
      return { perSecond: number(/Queries per second: +([\d.]+)/), answers, lost, p99Ms };
    },
  };
}
