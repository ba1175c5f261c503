import { afterEach, expect, it } from 'vitest';
import { type Change, type ChangeStore, StoreUnavailable } from '../store.ts';
import { type PolledChangeFeed, startChangeFeed } from './change-feed.ts';

/** A change log whose rows appear in whatever order a test wants, as under several writers. */
function openLog() {
  const rows: Change[] = [];
  let pruned = 0;
  const log = {
    reads: 0,
    down: false,
    inFlight: [] as string[],
    commit(...seqs: number[]) {
      for (const seq of seqs) rows.push({ seq, kind: 'route', key: `${seq}.example.com` });
      rows.sort((a, b) => a.seq - b.seq);
    },
    prune(seq: number) {
      pruned = seq;
      rows.splice(0, rows.filter((row) => row.seq <= seq).length);
    },
    async changesSince(seq: number): ReturnType<ChangeStore['changesSince']> {
      log.reads += 1;
      if (log.down) throw new StoreUnavailable('down');
      return {
        changes: rows.filter((row) => row.seq > seq),
        latest: rows.at(-1)?.seq ?? pruned,
        truncated: pruned > seq,
        inFlight: log.inFlight,
      };
    },
  } satisfies Pick<ChangeStore, 'changesSince'> & Record<string, unknown>;
  return log;
}

const open: PolledChangeFeed[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((feed) => feed.stop()));
});

/** A feed that polls when the test says so. */
async function start(log: ReturnType<typeof openLog>, intervalMs = 3_600_000) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const received: (number | null)[] = [];
  const feed = startChangeFeed(log, { clock, intervalMs, overlapMs: 5000 });
  open.push(feed);
  feed.subscribe((change) => received.push(change?.seq ?? null));
  const poll = async () => {
    await feed.poll();
    return received.splice(0);
  };
  return { feed, clock, poll, received };
}

it('begins with "everything may have changed", then reports each change', async () => {
  const log = openLog();
  log.commit(1, 2);
  const { poll } = await start(log);
  expect(await poll()).toEqual([null]);
  expect(await poll()).toEqual([]);
  log.commit(3, 4);
  expect(await poll()).toEqual([3, 4]);
  expect(await poll()).toEqual([]);
});

it('reads once for all who ask during a read', async () => {
  const log = openLog();
  const held = Promise.withResolvers<void>();
  let reads = 0;
  const store = {
    async changesSince(seq: number) {
      reads += 1;
      await held.promise;
      return log.changesSince(seq);
    },
  };
  const feed = startChangeFeed(store, { intervalMs: 3_600_000 });
  open.push(feed);
  const readings = Array.from({ length: 100 }, () => feed.poll());
  held.resolve();
  await Promise.all(readings);
  // The first one, and one that began after they had asked.
  expect(reads).toBe(2);
});

it('reports once a change that is committed after one with a higher number', async () => {
  const log = openLog();
  const { poll, clock } = await start(log);
  await poll();
  log.commit(2, 5);
  expect(await poll()).toEqual([2, 5]);
  clock.ms += 4999;
  log.commit(3);
  expect(await poll()).toEqual([3]);
  clock.ms += 4999;
  log.commit(4, 6);
  expect(await poll()).toEqual([4, 6]);
  for (let passed = 0; passed < 30_000; passed += 1000) {
    clock.ms += 1000;
    expect(await poll()).toEqual([]);
  }
});

it('reports that everything may have changed when a write ends that was in flight for longer than the overlap', async () => {
  const log = openLog();
  const { poll, clock } = await start(log);
  await poll();
  log.inFlight = ['slow'];
  log.commit(2);
  expect(await poll()).toEqual([2]);
  for (let passed = 0; passed < 30_000; passed += 1000) {
    clock.ms += 1000;
    log.inFlight = ['slow', `quick at ${passed}`];
    expect(await poll()).toEqual([]);
  }
  log.commit(1);
  log.inFlight = ['quick'];
  expect(await poll()).toEqual([null]);
  log.inFlight = [];
  log.commit(3);
  expect(await poll()).toEqual([3]);
});

it('reports that everything may have changed when a write ends that was in flight at its start', async () => {
  const log = openLog();
  log.commit(2);
  log.inFlight = ['slow'];
  const { poll } = await start(log);
  expect(await poll()).toEqual([null]);
  log.commit(1);
  log.inFlight = [];
  expect(await poll()).toEqual([null]);
  expect(await poll()).toEqual([]);
});

it('reports that everything may have changed when changes were pruned before they were read', async () => {
  const log = openLog();
  const { poll } = await start(log);
  log.commit(1);
  await poll();
  log.commit(2, 3, 4);
  log.prune(3);
  expect(await poll()).toEqual([null]);
  log.commit(5);
  expect(await poll()).toEqual([5]);
});

it('does not mistake the pruning of changes it has read for a gap', async () => {
  const log = openLog();
  const { poll, clock } = await start(log);
  await poll();
  log.commit(1, 2, 3);
  expect(await poll()).toEqual([1, 2, 3]);
  clock.ms += 5000;
  await poll();
  clock.ms += 5000;
  await poll();
  log.prune(3);
  expect(await poll()).toEqual([]);
});

it('reports that everything may have changed when the log is older than before, as after a restore', async () => {
  const log = openLog();
  log.commit(1, 2, 3);
  const { poll } = await start(log);
  await poll();
  const restored = openLog();
  restored.commit(1);
  log.changesSince = restored.changesSince;
  expect(await poll()).toEqual([null]);
});

it('is fresh for one second from the start of a successful read, and never before the first', async () => {
  const log = openLog();
  log.down = true;
  const { feed, poll, clock } = await start(log);
  await poll();
  expect(feed.isFresh()).toBe(false);
  log.down = false;
  await poll();
  expect(feed.isFresh()).toBe(true);
  clock.ms += 1000;
  expect(feed.isFresh()).toBe(true);
  clock.ms += 1;
  expect(feed.isFresh()).toBe(false);
  await poll();
  expect(feed.isFresh()).toBe(true);
});

it('is not fresh when the clock was set back', async () => {
  const { feed, poll, clock } = await start(openLog());
  await poll();
  clock.ms -= 1;
  expect(feed.isFresh()).toBe(false);
});

it('reports the changes that were made while the log could not be read', async () => {
  const log = openLog();
  const { poll } = await start(log);
  await poll();
  log.down = true;
  log.commit(1);
  expect(await poll()).toEqual([]);
  log.down = false;
  log.commit(2);
  expect(await poll()).toEqual([1, 2]);
});

it('polls until it is stopped, also after a failure', async () => {
  const log = openLog();
  log.down = true;
  const { feed, received } = await start(log, 1);
  const nextRead = async (after: number) => {
    while (log.reads <= after) await new Promise(setImmediate);
  };
  await nextRead(1);
  log.down = false;
  await nextRead(log.reads + 1);
  log.commit(1);
  await nextRead(log.reads + 1);
  expect(received).toEqual([null, 1]);
  await feed.stop();
  const { reads } = log;
  await feed.poll();
  expect(log.reads).toBe(reads + 1);
});

it('waits for the read in flight when it is stopped', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let answered = false;
  const feed = startChangeFeed({
    async changesSince() {
      await asked;
      answered = true;
      return { changes: [], latest: 0, truncated: false, inFlight: [] };
    },
  });
  const stopped = feed.stop();
  answer();
  await stopped;
  expect(answered).toBe(true);
});

it('lets caches drop what they hold once it has stopped: a process that waits for its successor keeps nothing', async () => {
  const { feed, received } = await start(openLog(), 1);
  await feed.stop();
  expect(received.at(-1)).toBeNull();
  expect(received.filter((change) => change === null)).toHaveLength(2);
});
