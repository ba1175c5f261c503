import { systemClock } from '../src/clock.ts';
import { authoritativeResolver } from '../src/dns/authoritative.ts';
import { dnsClient } from '../src/dns/client.ts';
import type { AnswerKind } from '../src/dns/tally.ts';
import { createLog } from '../src/log.ts';
import { createMetrics } from '../src/metrics.ts';
import type { Store } from '../src/store/store.ts';
import { createVerifier } from '../src/verification/worker.ts';

/** What checks were done. */
export interface Report {
  claimed: number;
  /** Of each claim: how long after it was due, in ms. */
  latenessMs: number[];
  /** Of each domain that was verified: when that was committed, Unix ms. */
  verified: { name: string; at: number }[];
  queriesLost: number;
}

/** Checks that begin and end when a measurement says so; what is known of delegations stays. */
export interface Checking {
  start(): void;
  /** Resolves when the checks under way are done. */
  stop(): Promise<void>;
  /** What happened since the last time. */
  report(): Report;
  close(): Promise<void>;
}

/** Composed as `main.ts` does it. `port`: of the nameserver and the resolver. */
export function prepareChecks(store: Store, options: { port: number; checkIntervalMs: number }): Checking {
  const { port, checkIntervalMs } = options;
  let seen = nothing();
  const onAnswer = (kind: AnswerKind) => {
    if (kind === 'timeout') seen.queriesLost++;
  };
  const client = dnsClient();
  const clock = systemClock;
  const resolvers = [{ address: '127.0.0.1', port }];
  const asking = { client, resolvers, clock, nameserverPort: port, allowedNetworks: ['127.0.0.0/8'], onAnswer };
  const resolver = authoritativeResolver(asking);
  const noted = noting(store, () => seen);
  const working = { clock, random: Math.random, log: createLog('warn'), metrics: createMetrics() };
  const make = () => createVerifier({ ...working, store: noted, resolver, checkIntervalMs });
  let verifier = make();

  return {
    start() {
      verifier = make();
      verifier.start();
    },
    stop: () => verifier.stop(10_000),
    report() {
      const report = seen;
      seen = nothing();
      return report;
    },
    async close() {
      await verifier.stop();
      client.close();
    },
  };
}

function nothing(): Report {
  return { claimed: 0, latenessMs: [], verified: [], queriesLost: 0 };
}

/** The store, whose answers are noted on their way. */
function noting(store: Store, seen: () => Report): Store {
  return {
    ...store,
    async claimDue(now, ...rest) {
      const due = await store.claimDue(now, ...rest);
      seen().claimed += due.length;
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
