import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Figure, type Row, showNumber } from '../figure.ts';
import { type Serving, startServer } from '../http.ts';
import type { Part } from '../part.ts';
import type { Watchers } from '../parts/watchers.ts';
import type { Population } from '../population.ts';
import { spreadOf } from '../spread.ts';
import { nameOf } from '../zone.ts';

const WATCHERS = 5000;
const WARM_UP = 200;
const GOAL_SECONDS = 1;
/** Until what opening the streams has left behind is collected. */
const SETTLE_MS = 3000;

/**
 * How soon 5,000 streams of one process have a change that another process made, and what they cost while nothing
 * changes.
 */
export const watchers: Figure = {
  name: 'watchers',
  async measure(bench) {
    const count = Math.min(WATCHERS, bench.effort.scheduled);
    const population = await bench.populate(count);
    const names = Array.from({ length: count }, (_, i) => nameOf(i, population.zones));
    const limits = { NAMEPLATE_WATCHERS_PER_WORKSPACE: '9000', NAMEPLATE_WATCHERS_PER_KEY: '9000' };
    const env = { NAMEPLATE_API_THREADS: '1', ...limits };
    const server = await startServer(bench, population, { env });
    const client = await bench.start<Watchers>('watchers');
    const watching = { port: server.port, rootKey: population.rootKey };

    // A few before, so that the memory is that of streams alone; not many, or the others would get what these leave
    // behind.
    await client.call.open({ ...watching, names: names.slice(0, WARM_UP) });
    await client.call.close();
    const without = await settled(server);
    await client.call.open({ ...watching, names });
    const bytes = ((await settled(server)) - without) / count;
    const idle = await idleCost(server, bench);
    const each = await measureChange(bench, { server, client, names });
    await client.call.close();

    await client.call.open({ ...watching, names: names.map(() => nameOf(0, population.zones)) });
    const one = await measureChange(bench, { server, client, names: names.slice(0, 1) });
    return [
      row(`a change of one domain, until ${showNumber(count)} streams have it`, one),
      row(`changes of ${showNumber(count)} domains in one transaction, until the stream of each has its own`, each),
      {
        ...row(`an open stream`, one),
        measured: `${showNumber(bytes / 1024, 1)} KB resident; all ${showNumber(count)}: ${showNumber(idle, 1)} % of a core`,
        ...{ result: '', goal: '', met: null },
      },
    ];
  },
};

interface Change {
  /** Until the median, and the last, of the streams had it. */
  median: number;
  last: number;
  /** CPU time of the server. */
  micros: number;
}

interface Measured {
  server: Serving & { population: Population };
  client: Part<Watchers>;
  /** The domains that change. */
  names: string[];
}

async function measureChange({ effort }: Bench, { server, client, names }: Measured): Promise<Change[]> {
  const changes: Change[] = [];
  for (let round = 0; round < effort.rounds; round += 1) {
    // At any moment between two polls of the change log.
    await delay(1000 + Math.random() * 1000);
    await client.call.expect();
    const before = await server.part.cpuMicros();
    const at = change(server.population, names);
    const { median, last } = await client.call.seen();
    changes.push({ median: median - at, last: last - at, micros: (await server.part.cpuMicros()) - before });
  }
  return changes;
}

/** Changes domains as a check of another process does. Returns the time of the commit, Unix ms. */
function change({ path }: Population, names: string[]): number {
  const db = new DatabaseSync(path, { timeout: 5000 });
  const update = db.prepare(
    "update domains set status = 'verifying', verification_error = 'Change ' || revision, revision = revision + 1, updated_at = ? where name = ? returning id",
  );
  const log = db.prepare("insert into changes (kind, key, created_at) values ('domain', ?, ?)");
  db.exec('begin immediate');
  for (const name of names) log.run((update.get(Date.now(), name) as { id: string }).id, Date.now());
  db.exec('commit');
  const committedAt = Date.now();
  db.close();
  return committedAt;
}

async function settled({ part }: Serving): Promise<number> {
  await delay(SETTLE_MS);
  return part.call.residentBytes();
}

/** CPU time of the server while nothing changes, in percent of a core. */
async function idleCost({ part }: Serving, { effort }: Bench): Promise<number> {
  const ms = effort.scheduleSeconds * 1000;
  const before = await part.cpuMicros();
  await delay(ms);
  return ((await part.cpuMicros()) - before) / 10 / ms;
}

function row(figure: string, changes: Change[]): Row {
  const seconds = (read: (change: Change) => number) => (spreadOf(changes.map(read)).median / 1000).toFixed(2);
  const longest = Math.max(...changes.map(({ last }) => last)) / 1000;
  const micros = spreadOf(changes.map((each) => each.micros)).median;
  return {
    figure,
    measured: `half after ${seconds(({ median }) => median)} s, all after ${seconds(({ last }) => last)} s; ${showNumber(micros / 1000)} ms of CPU time`,
    baseline: '',
    result: `at most ${longest.toFixed(2)} s`,
    goal: `within ${GOAL_SECONDS} s`,
    met: longest <= GOAL_SECONDS,
  };
}
