import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts';
import { type Checkout, checkOut, PRESENT } from './checkout.ts';
import type { Bench, Effort, Figure, PopulationOptions, Row, StartOptions } from './figure.ts';
import { figures } from './figures.ts';
import { type Part, startPart } from './part.ts';
import { populate } from './population.ts';
import { SETTINGS } from './postgres.ts';
import { renderTable } from './table.ts';

/**
 * `npm run bench`: measures one figure after the other and prints them as a table. Loopback only; leaves nothing
 * behind.
 */

const USAGE = `npm run bench -- [--only NAME]… [--against COMMIT] [--quick | --long] [--profile DIR]

  --against  measures that commit too, alternately, where it has the same figure; its packages are installed in a temporary directory
  --only     one of ${figures.map(({ name }) => name).join(', ')}; may be given several times
  --quick    a smoke run: everything for a moment, with few domains; its figures mean nothing
  --long     more rounds, and the schedule watched for five minutes
  --profile  writes CPU profiles of the measured processes into this directory`;

const EFFORTS: Record<'quick' | 'usual' | 'long', Effort> = {
  quick: {
    rounds: 2,
    seconds: 0.3,
    mostDomains: 5000,
    scheduled: 2000,
    scheduleSeconds: 5,
    snapshotSeconds: 3,
    starts: 2,
  },
  usual: {
    rounds: 7,
    seconds: 2,
    mostDomains: 1_000_000,
    scheduled: 100_000,
    scheduleSeconds: 60,
    snapshotSeconds: 120,
    starts: 10,
  },
  long: {
    rounds: 15,
    seconds: 3,
    mostDomains: 1_000_000,
    scheduled: 100_000,
    scheduleSeconds: 240,
    snapshotSeconds: 600,
    starts: 20,
  },
};

const directory = await mkdtemp(join(tmpdir(), 'nameplate-bench-'));
const parts: Part<unknown>[] = [];
const servers: PostgresServer[] = [];
let databases = 0;

const say = (text: string) => console.error(`bench: ${text}`);
const path = (name: string) => join(directory, name);

async function stopParts(): Promise<void> {
  await Promise.all(parts.splice(0).map((part) => part.stop()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

function populateFile(domains: number, { zones = domains, checkout = PRESENT }: PopulationOptions = {}) {
  const file = path(`population-${++databases}.db`);
  return populate(file, { domains, zones, checkout }, (done) => {
    if (done % 200_000 === 0) say(`${done} of ${domains} domains made`);
  });
}

function benchOf(effort: Effort, against: Checkout | null, profiles: string | undefined): Bench {
  return {
    effort,
    against,
    path,
    say,
    populate: populateFile,
    async postgres() {
      const server = await startPostgres('newest', SETTINGS);
      servers.push(server);
      return server;
    },
    async start<Methods>(name: string, { profiled = false, checkout = PRESENT }: StartOptions = {}) {
      const execArgv = profiled && profiles !== undefined ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profiles)}`] : [];
      const file = new URL(`./parts/${name}.ts`, import.meta.url);
      const part = await startPart<Methods>(file, { output: path(`${name}.log`), execArgv, root: checkout.root });
      parts.push(part);
      return part;
    },
  };
}

async function measure(chosen: readonly Figure[], bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const figure of chosen) {
    const began = performance.now();
    say(`${figure.name} …`);
    const measured = await figure.measure(bench);
    for (const row of measured)
      say(`${row.figure}: ${row.measured}${row.result && ` → ${row.result}`}${compared(row)}`);
    rows.push(...measured);
    await stopParts();
    say(`${figure.name} took ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
  return rows;
}

function compared({ against }: Row): string {
  return against === undefined ? '' : `; against ${against.measured}: ${against.ratio}`;
}

async function clean(): Promise<void> {
  await stopParts();
  await rm(directory, { recursive: true, force: true });
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => void clean().finally(() => process.exit(code)));
}

try {
  const options = {
    only: { type: 'string', multiple: true },
    against: { type: 'string' },
    quick: { type: 'boolean' },
    long: { type: 'boolean' },
    profile: { type: 'string' },
  } as const;
  const { only, against: commit, quick, long, profile } = parseArgs({ options }).values;
  const unknown = only?.find((name) => !figures.some((figure) => figure.name === name));
  if (unknown !== undefined) throw new Error(`there is no figure "${unknown}"\n\n${USAGE}`);
  const chosen = figures.filter(({ name }) => only === undefined || only.includes(name));
  const effort = EFFORTS[quick ? 'quick' : long ? 'long' : 'usual'];
  if (commit !== undefined) say(`${commit} is unpacked, and its packages are installed`);
  const against = commit === undefined ? null : await checkOut(commit, path('against'));
  console.log(renderTable(await measure(chosen, benchOf(effort, against, profile)), commit ?? null));
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await clean();
}
