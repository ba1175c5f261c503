import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { secureRandom } from '../base/ids.ts';
import type { SupervisedMethods } from '../base/threads/supervisor.ts';
import { serveParent } from '../base/threads/thread.ts';
import type { Config } from '../config/config.ts';
import { addressRule } from '../net/addresses.ts';
import { createDialer } from '../net/dialer.ts';
import type { DiagnosisMethods } from '../verification/observation/diagnosis-thread.ts';
import { createConnectDiscoverer } from '../verification/observation/discover-connect.ts';
import { observe } from '../verification/observation/observe.ts';
import { createMetrics } from './metrics.ts';
import { openResolver, type ResolverDeps } from './open-resolver.ts';

// The script of the thread that asks DNS because somebody wants to know.

/** The thread is started with these settings. */
export interface DiagnosisWorkerData extends Pick<ResolverDeps, 'nameserverPort'> {
  config: ResolverDeps['config'] & Pick<Config, 'challengeZone'>;
}

/** Time limit of a diagnosis. */
const TIME_LIMIT_MS = 10_000;

const data: DiagnosisWorkerData = workerData;
const metrics = createMetrics({ ofProcess: false });
const { resolver } = openResolver({ ...data, clock: systemClock, metrics });
const dialer = createDialer({
  mayDial: addressRule(),
  async lookUp(host, signal) {
    const found = await resolver.lookupAddresses(host, { signal });
    if (found.kind === 'unreadable') throw new Error(found.reason);
    return found.kind === 'found' ? found.addresses : [];
  },
});
const discoverConnect = createConnectDiscoverer({ resolver, dialer });

const own: DiagnosisMethods & SupervisedMethods = {
  async observe({ scope, domain, incumbent }) {
    const depth = scope === 'name' ? scope : 'diagnosis';
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    const { challengeZone = null } = data.config;
    return observe(resolver, domain, incumbent, { depth, signal, random: secureRandom, challengeZone });
  },
  async discoverConnect(question) {
    const answer = await discoverConnect(question);
    metrics.connectAnswers.inc({ outcome: 'refused' in answer ? answer.refused : 'offered' });
    return answer;
  },
  snapshot: () => metrics.registry.getMetricsAsJSON(),
  // The caller has gone.
  stop: () => process.exit(),
};
serveParent(own).ready();
