import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { addSnapshots } from '../../server/src/base/threads/snapshots.ts';
import { createSupervisor, type SupervisedThread, type Supervisor } from '../../server/src/base/threads/supervisor.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { TrialData, TrialMethods, TrialParent } from './trial-thread.ts';

const script = new URL('./trial-thread.ts', import.meta.url);

let lines: { msg: string; level: number; restartInSeconds?: number; err?: { message: string } }[];
let metrics: ReturnType<typeof createMetrics>;
let supervisor: Supervisor;
let starts: number[];
let onStart: () => void;
let threads: SupervisedThread<TrialMethods>[];
beforeEach(() => {
  lines = [];
  starts = [];
  threads = [];
  onStart = () => {};
  metrics = createMetrics();
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  supervisor = createSupervisor({ log, metrics });
  addSnapshots(metrics.registry, supervisor.snapshots);
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(threads.map((thread) => thread.stop(0)));
});

const own: TrialParent = {
  started(run) {
    starts.push(run);
    onStart();
  },
};

async function start(about: Partial<TrialData> = {}): Promise<SupervisedThread<TrialMethods>> {
  let run = 0;
  const begin = () => {
    run += 1;
    return { workerData: { run, ...about } satisfies TrialData };
  };
  const thread = await supervisor.start<TrialMethods>({ kind: 'edge', script, begin, own });
  threads.push(thread);
  return thread;
}

async function startedTimes(count: number): Promise<void> {
  while (starts.length < count)
    await new Promise<void>((resolve) => {
      onStart = resolve;
    });
}

const metric = async (line: string) => {
  const text = (await metrics.registry.metrics()).split('\n').find((one) => one.startsWith(`${line} `));
  return Number(text?.slice(line.length));
};

describe('calls between threads', () => {
  it('return what the method returns, and reject with a copy of what it throws', async () => {
    const { call } = await start();
    const values = Array.from({ length: 100 }, (_, i) => ({ i, bytes: new Uint8Array([i]) }));
    expect(await Promise.all(values.map((value) => call('echo', value)))).toEqual(values);
    await expect(call('refuse', 'no')).rejects.toMatchObject({ name: 'RangeError', message: 'no' });
  });
});

describe('a thread that dies', () => {
  it('is replaced, logged and counted; its counters stay and its gauges go', async () => {
    const thread = await start();
    await startedTimes(1);
    expect(await metric('nameplate_thread_deaths_total{kind="edge"}')).toBe(0);
    expect([await metric('nameplate_claims_total'), await metric('nameplate_checks_in_flight')]).toEqual([3, 7]);
    const inFlight = thread.call('echo', 1).catch((error: unknown) => error);
    thread.send('crash', 'as it was told');
    const later = new Promise((resolve) => {
      onStart = () => resolve(undefined);
    });
    await inFlight;
    await later;
    expect(await thread.call('echo', 'again')).toBe('again');
    expect([await metric('nameplate_claims_total'), await metric('nameplate_checks_in_flight')]).toEqual([6, 7]);
    expect(await metric('nameplate_thread_deaths_total{kind="edge"}')).toBe(1);
    expect(lines).toMatchObject([
      {
        level: 50,
        thread: 'edge',
        restartInSeconds: 1,
        err: { message: 'as it was told' },
        msg: expect.stringContaining('crashed'),
      },
    ]);
  });

  it('rejects the calls in flight and those that come before its replacement', async () => {
    const thread = await start();
    const hanging = thread.call('hang');
    thread.terminate();
    await expect(hanging).rejects.toMatchObject({ name: 'ThreadEnded' });
    await expect(thread.call('echo', 1)).rejects.toMatchObject({ name: 'ThreadEnded' });
    await startedTimes(2);
    expect(starts).toEqual([1, 2]);
    expect(await thread.call('echo', 1)).toBe(1);
  });

  it('before it was ready is not replaced, and its error is that of the start', async () => {
    await expect(start({ unfit: true })).rejects.toThrow('unfit');
    expect(lines).toEqual([]);
  });

  it('that is stopped is not replaced, even while its event loop stands still', async () => {
    const thread = await start();
    thread.call('hang').catch(() => {});
    await thread.stop(0);
    await expect(thread.call('echo', 1)).rejects.toMatchObject({ name: 'ThreadEnded' });
    expect([starts, lines]).toEqual([[1], []]);
  });

  it('for not answering any more is replaced like one that crashes; others that run beside it go on', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const [hanging, busy] = [await start(), await start()];
    await startedTimes(2);
    const inFlight = hanging.call('hang').catch((error: unknown) => error);
    const isOver = () => Promise.race([inFlight.then(() => true), busy.call('echo', false)]);
    let beats = 0;
    while (!(await isOver())) {
      // Its answer to the last heartbeat has come before that to `echo`.
      vi.advanceTimersByTime(5000);
      beats += 1;
      if (beats >= 13) await inFlight;
    }
    expect(beats).toBe(13);
    await startedTimes(3);
    expect([await hanging.call('echo', 1), await busy.call('echo', 2)]).toEqual([1, 2]);
    expect(starts).toEqual([1, 1, 2]);
    expect(await metric('nameplate_thread_deaths_total{kind="edge"}')).toBe(1);
    expect(lines).toMatchObject([
      { level: 50, restartInSeconds: 1, err: { message: 'the thread has not answered for 60 seconds' } },
    ]);
  });

  it('and that cannot be replaced makes the process fail at once', async () => {
    const begin = () => ({ workerData: { run: 1 } satisfies TrialData });
    const thread = await supervisor.start<TrialMethods>({ kind: 'edge', script, begin, own, isReplaceable: false });
    threads.push(thread);
    thread.send('crash', 'as it was told');
    await supervisor.failed;
    expect(lines).toMatchObject([{ level: 60, thread: 'edge', err: { message: 'as it was told' } }]);
    expect(starts).toEqual([1]);
  });

  it('and that nobody can replace makes the process fail, with one line in the log', async () => {
    supervisor.lost('writer', new Error('the disk is gone'));
    await supervisor.failed;
    expect(lines).toMatchObject([{ level: 60, thread: 'writer', err: { message: 'the disk is gone' } }]);
    expect(await metric('nameplate_thread_deaths_total{kind="writer"}')).toBe(1);
  });
});
