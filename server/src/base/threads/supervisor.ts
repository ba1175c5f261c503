import type { Log } from '../log.ts';
import { withinTime } from '../time-limit.ts';
import { watchHeartbeat } from './heartbeat.ts';
import { NO_RESTARTS, nextRestart } from './restart-policy.ts';
import type { Callable, Remote, Revive } from './rpc.ts';
import { addUp, type MetricsSnapshot, withoutGauges } from './snapshots.ts';
import { startThread, type ThreadStart } from './thread.ts';
import type { ThreadMetrics } from './thread-metrics.ts';

/** The methods that the script of every supervised thread serves, besides its own. */
export interface SupervisedMethods {
  /** The metrics that the thread has counted. */
  snapshot(): Promise<MetricsSnapshot>;
  /** Waits `graceMs` for work in flight, then ends the thread. */
  stop(graceMs: number): void;
}

export type ThreadKind = 'api' | 'background' | 'diagnosis' | 'dns' | 'edge' | 'writer';

export interface ThreadOptions {
  kind: ThreadKind;
  script: URL;
  /** Called for each start: a port can be handed over once only. */
  begin(): ThreadStart;
  /** Methods that the thread may call. */
  own?: object;
  revive?: Revive;
  /** The process goes on without this thread while it keeps dying: its input may be the cause. */
  dispensable?: boolean;
  /** False: the values that it was started with cannot be opened again, so the process ends when it dies. */
  isReplaceable?: boolean;
}

/**
 * A thread that is replaced when it dies, and terminated when it hangs. While none is running, calls reject and `send`
 * does nothing.
 */
export interface SupervisedThread<Theirs extends Callable<Theirs>> extends Pick<Remote<Theirs>, 'call' | 'send'> {
  /** Ends the thread, which the supervisor then replaces. */
  terminate(): void;
  /** Waits `graceMs` for its work in flight, and ends the thread for good. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts the threads of one process, and replaces those that die: their connections and work in flight are lost, those
 * of others are not.
 */
export interface Supervisor {
  /** Rejects with the error that ended the thread when it ends before it is ready; it is not replaced then. */
  start<Theirs extends Callable<Theirs>>(options: ThreadOptions): Promise<SupervisedThread<Theirs>>;
  /**
   * The metrics of each thread, with those of the threads that it replaced, which are as old as their last snapshot.
   */
  snapshots(): Promise<MetricsSnapshot[]>;
  /** A thread that cannot be replaced has ended: the process has to end too. */
  lost(kind: ThreadKind, error: unknown): void;
  /** Resolves when the process cannot go on; the log has the reason. */
  failed: Promise<void>;
}

/** How much longer than `graceMs` a thread may take to end before it is terminated. */
const OVERTIME_MS = 1000;
/** A thread that takes longer to report its metrics is busy; its last snapshot is shown. */
const SNAPSHOT_MS = 1000;

export function createSupervisor({ log, metrics }: { log: Log; metrics: ThreadMetrics }): Supervisor {
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  const snapshotsOf: (() => Promise<MetricsSnapshot>)[] = [];

  function lost(kind: ThreadKind, error: unknown): void {
    metrics.threadDeaths.inc({ kind });
    log.fatal({ err: error, thread: kind }, 'a thread that the process needs has ended; the process ends');
    fail();
  }

  async function start<Theirs extends Callable<Theirs>>(options: ThreadOptions): Promise<SupervisedThread<Theirs>> {
    const { kind, script, begin, own, revive, dispensable = false, isReplaceable = true } = options;
    // The counter starts at 0, so that the first death shows as an increase.
    metrics.threadDeaths.inc({ kind }, 0);
    const run = () => {
      const thread = startThread<SupervisedMethods>(script, { name: kind, ...begin() }, own, revive);
      watchHeartbeat(thread);
      return thread;
    };
    let current = run();
    let restarts = NO_RESTARTS;
    let restart: NodeJS.Timeout | undefined;
    let stopping = false;
    /** Counted by the threads that died. */
    let before = Promise.resolve<MetricsSnapshot>([]);
    /** The last snapshot of the current thread. */
    let latest: MetricsSnapshot = [];

    function replace(error: unknown): void {
      if (stopping) return;
      const next = nextRestart(restarts, current.livedMs());
      if (!isReplaceable || (next === null && !dispensable)) {
        lost(kind, error);
        return;
      }
      restarts = next ?? restarts;
      metrics.threadDeaths.inc({ kind });
      const restartInSeconds = restarts.delayMs / 1000;
      log.error({ err: error, thread: kind, restartInSeconds }, 'a thread crashed; what it was doing is lost');
      const last = withoutGauges(latest);
      latest = [];
      // Metrics that cannot be added up hide no others.
      before = before.then((sum) => addUp([sum, last]).catch(() => sum));
      restart = setTimeout(() => {
        current = run();
        // A thread that ends before it is ready is replaced in turn.
        void current.exited.then(replace);
      }, restarts.delayMs);
    }

    async function snapshot(): Promise<MetricsSnapshot> {
      const asked = current;
      const said = await withinTime(SNAPSHOT_MS, asked.call('snapshot'), () => null).catch(() => null);
      if (said !== null && asked.isRunning()) latest = said;
      return addUp([await before, latest]);
    }

    await current.ready;
    void current.exited.then(replace);
    snapshotsOf.push(snapshot);
    const thread: SupervisedThread<SupervisedMethods> = {
      call: (method, ...args) => current.call(method, ...args),
      send: (method, ...args) => current.send(method, ...args),
      terminate: () => current.terminate(),
      async stop(graceMs) {
        stopping = true;
        clearTimeout(restart);
        current.send('stop', graceMs);
        const overtime = setTimeout(() => current.terminate(), graceMs + OVERTIME_MS);
        await current.exited;
        clearTimeout(overtime);
      },
    };
    // The script serves methods of its own besides those of the supervisor.
    return thread as unknown as SupervisedThread<Theirs>;
  }

  return { start, snapshots: () => Promise.all(snapshotsOf.map((snapshot) => snapshot())), lost, failed };
}
