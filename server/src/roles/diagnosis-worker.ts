import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { secureRandom } from '../base/ids.ts';
import type { SupervisedMethods } from '../base/threads/supervisor.ts';
import { serveParent } from '../base/threads/thread.ts';
import type { DiagnosisMethods } from '../verification/observation/diagnosis-thread.ts';
import { observe } from '../verification/observation/observe.ts';
import { createMetrics } from './metrics.ts';
import { openResolver, type ResolverDeps } from './open-resolver.ts';

// The script of the thread that asks DNS because somebody wants to know.

/** The thread is started with these settings. */
export type DiagnosisWorkerData = Pick<ResolverDeps, 'config' | 'nameserverPort'>;

/** Time limit of a diagnosis. */
const TIME_LIMIT_MS = 10_000;

const data: DiagnosisWorkerData = workerData;
const metrics = createMetrics({ ofProcess: false });
const { resolver } = openResolver({ ...data, clock: systemClock, metrics });

const own: DiagnosisMethods & SupervisedMethods = {
  async observe({ scope, domain, incumbent }) {
    const depth = scope === 'name' ? scope : 'diagnosis';
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    return observe(resolver, domain, incumbent, { depth, signal, random: secureRandom });
  },
  snapshot: () => metrics.registry.getMetricsAsJSON(),
  // The caller has gone.
  stop: () => process.exit(),
};
serveParent(own).ready();
