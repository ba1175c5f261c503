import { systemClock } from '../server/src/base/clock.ts';
import type { AnswerKind } from '../server/src/dns/answer-metrics.ts';
import type { Metrics } from '../server/src/roles/metrics.ts';
import type { Store } from '../server/src/store/store.ts';
import { importSource } from './checkout.ts';

/** The checks that were done. */
export interface Report {
  /** Checks that were completed. */
  checks: number;
  /** Delay of each claim after its due time, in ms. */
  latenessMs: number[];
  /** When each domain's verification was committed, Unix ms. */
  verified: { name: string; at: number }[];
  /** Queries that ended, those that nobody answered among them. */
  queries: number;
  queriesLost: number;
}

/** Checks that begin and end when a measurement says so; what is known of delegations stays. */
export interface Checking {
  start(): void;
  /** Resolves when the checks under way are done. */
  stop(): Promise<void>;
  /** Reports the checks since the last report. */
  report(): Promise<Report>;
  close(): Promise<void>;
}

const COMPLETED = ['unchanged', 'changed', 'verified', 'failed', 'stale'];

/**
 * Composed as `main.ts` does it, of the source that this process measures. `port`: of the nameserver and the resolver.
 */
export async function prepareChecks(
  store: Store,
  { port, checkIntervalMs }: { port: number; checkIntervalMs: number },
): Promise<Checking> {
  const { dnsClient } = await importSource('dnsClient');
  const { createLog } = await importSource('log');
  const { createMetrics } = await importSource('metrics');
  const { authoritativeResolver } = await importSource('resolver');
  const { createVerifier } = await importSource('verifier');
  let seen = nothing();
  const onAnswer = (kind: AnswerKind) => {
    seen.queries++;
    if (kind === 'timeout') seen.queriesLost++;
  };
  const client = dnsClient();
  const clock = systemClock;
  const resolvers = [{ address: '127.0.0.1', port }];
  const asking = { client, resolvers, clock, nameserverPort: port, allowedNetworks: ['127.0.0.0/8'], onAnswer };
  const resolver = authoritativeResolver(asking);
  const noted = noting(store, () => seen);
  const metrics = createMetrics();
  const working = { clock: { ...clock, isTrusted: () => true }, random: Math.random, log: createLog('warn'), metrics };
  const make = () => createVerifier({ ...working, store: noted, resolver, checkIntervalMs });
  let verifier = make();

  return {
    start() {
      verifier = make();
      verifier.start();
    },
    stop: () => verifier.stop(10_000),
    async report() {
      const report = { ...seen, checks: await completed(metrics) };
      seen = nothing();
      metrics.checks.reset();
      return report;
    },
    async close() {
      await verifier.stop();
      client.close();
    },
  };
}

function nothing(): Report {
  return { checks: 0, latenessMs: [], verified: [], queries: 0, queriesLost: 0 };
}

async function completed({ checks }: Metrics): Promise<number> {
  const { values } = await checks.get();
  const counted = values.filter(({ labels }) => COMPLETED.includes(String(labels.outcome)));
  return counted.reduce((sum, { value }) => sum + value, 0);
}

/** The store, whose answers are noted on their way. */
function noting(store: Store, seen: () => Report): Store {
  return {
    ...store,
    async claimDue(now, ...rest) {
      const due = await store.claimDue(now, ...rest);
      for (const { dueAt } of due) seen().latenessMs.push(now - dueAt);
      return due;
    },
    async saveTransition(save) {
      const outcome = await store.saveTransition(save);
      const { status, name } = save.after;
      if (outcome === 'saved' && status === 'verified') seen().verified.push({ name, at: Date.now() });
      return outcome;
    },
  };
}
