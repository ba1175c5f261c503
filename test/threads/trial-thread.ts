import { workerData } from 'node:worker_threads';
import type { SupervisedMethods } from '../../server/src/base/threads/supervisor.ts';
import { serveParent } from '../../server/src/base/threads/thread.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';

// A supervised thread that does as it is told. It counts three claims and seven checks in flight.

export interface TrialMethods {
  echo<T>(value: T): T;
  refuse(message: string): never;
  /** Crashes. */
  crash(message: string): void;
  /** Stops its event loop. */
  hang(): void;
}

/** The methods that it calls in the thread that started it. */
export interface TrialParent {
  started(run: number): void;
}

export interface TrialData {
  run: number;
  /** Crashes before it is ready. */
  unfit?: boolean;
}

const { run, unfit }: TrialData = workerData;
const metrics = createMetrics({ ofProcess: false });
metrics.claims.inc(3);
metrics.checksInFlight.set(7);

const own: TrialMethods & SupervisedMethods = {
  echo: (value) => value,
  refuse(message) {
    throw new RangeError(message);
  },
  crash(message) {
    throw new Error(message);
  },
  hang() {
    for (;;);
  },
  snapshot: () => metrics.registry.getMetricsAsJSON(),
  stop: () => parent.close(),
};
const parent = serveParent<TrialParent>(own);
if (unfit) throw new Error('unfit');
parent.send('started', run);
parent.ready();
