import { afterEach, expect, it } from 'vitest';
import { type Change, type ChangeStore, StoreUnavailable } from '../store/contract/store.ts';
import { type ChangeNews, followChanges } from './change-feed.ts';

/** A log whose rows appear in whatever order a test wants, as under several writers. */
function openLog() {
  const rows: Change[] = [];
  let pruned = 0;
  const log = {
    reads: 0,
    broken: false,
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
      if (log.broken) throw new StoreUnavailable('away');
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

const open: ChangeNews[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((news) => news.stop()));
});

/** A follower that reads when the test says so. */
async function follow(log: ReturnType<typeof openLog>, intervalMs = 3_600_000) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const heard: (number | null)[] = [];
  const news = followChanges(log, { clock, intervalMs, overlapMs: 5000 });
  open.push(news);
  news.onChange((change) => heard.push(change?.seq ?? null));
  const poll = async () => {
    await news.poll();
    return heard.splice(0);
  };
  return { news, clock, poll, heard };
}

it('tells caches to forget everything at the beginning, and from then on what has changed', async () => {
  const log = openLog();
  log.commit(1, 2);
  const { poll } = await follow(log);
  expect(await poll()).toEqual([null]);
  expect(await poll()).toEqual([]);
  log.commit(3, 4);
  expect(await poll()).toEqual([3, 4]);
  expect(await poll()).toEqual([]);
});

it('tells of a change that is committed after one with a higher number, once', async () => {
  const log = openLog();
  const { poll, clock } = await follow(log);
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

it('tells caches to forget everything once a write has ended that was under way for longer than it looks back', async () => {
  const log = openLog();
  const { poll, clock } = await follow(log);
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

it('tells caches to forget everything once a write has ended that was under way when it began to read', async () => {
  const log = openLog();
  log.commit(2);
  log.inFlight = ['slow'];
  const { poll } = await follow(log);
  expect(await poll()).toEqual([null]);
  log.commit(1);
  log.inFlight = [];
  expect(await poll()).toEqual([null]);
  expect(await poll()).toEqual([]);
});

it('tells caches to forget everything when changes were removed before they were read', async () => {
  const log = openLog();
  const { poll } = await follow(log);
  log.commit(1);
  await poll();
  log.commit(2, 3, 4);
  log.prune(3);
  expect(await poll()).toEqual([null]);
  log.commit(5);
  expect(await poll()).toEqual([5]);
});

it('does not mistake the removal of changes it has read for a loss', async () => {
  const log = openLog();
  const { poll, clock } = await follow(log);
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

it('tells caches to forget everything when the log is older than it was, as after a restore', async () => {
  const log = openLog();
  log.commit(1, 2, 3);
  const { poll } = await follow(log);
  await poll();
  const restored = openLog();
  restored.commit(1);
  log.changesSince = restored.changesSince;
  expect(await poll()).toEqual([null]);
});

it('is trusted for one second after the beginning of a read that worked, and never before the first', async () => {
  const log = openLog();
  log.broken = true;
  const { news, poll, clock } = await follow(log);
  await poll();
  expect(news.trusted()).toBe(false);
  log.broken = false;
  await poll();
  expect(news.trusted()).toBe(true);
  clock.ms += 1000;
  expect(news.trusted()).toBe(true);
  clock.ms += 1;
  expect(news.trusted()).toBe(false);
  await poll();
  expect(news.trusted()).toBe(true);
});

it('is not trusted when the clock was set back', async () => {
  const { news, poll, clock } = await follow(openLog());
  await poll();
  clock.ms -= 1;
  expect(news.trusted()).toBe(false);
});

it('tells of the changes that were made while the log could not be read', async () => {
  const log = openLog();
  const { poll } = await follow(log);
  await poll();
  log.broken = true;
  log.commit(1);
  expect(await poll()).toEqual([]);
  log.broken = false;
  log.commit(2);
  expect(await poll()).toEqual([1, 2]);
});

it('reads again and again by itself, also after a failure, until it is stopped', async () => {
  const log = openLog();
  log.broken = true;
  const { news, heard } = await follow(log, 1);
  const nextRead = async (after: number) => {
    while (log.reads <= after) await new Promise(setImmediate);
  };
  await nextRead(1);
  log.broken = false;
  await nextRead(log.reads + 1);
  log.commit(1);
  await nextRead(log.reads + 1);
  expect(heard).toEqual([null, 1]);
  await news.stop();
  const { reads } = log;
  await news.poll();
  expect(log.reads).toBe(reads + 1);
});

it('waits for the read that is under way when it is stopped', async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let answered = false;
  const news = followChanges({
    async changesSince() {
      await asked;
      answered = true;
      return { changes: [], latest: 0, truncated: false, inFlight: [] };
    },
  });
  const stopped = news.stop();
  answer();
  await stopped;
  expect(answered).toBe(true);
});
