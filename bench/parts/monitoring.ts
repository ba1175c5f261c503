import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { authoritativeResolver } from '../../server/src/dns/authoritative.ts';
import { dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { MONITORING_INTERVAL_MS } from '../../server/src/domain/monitoring-schedule.ts';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { createMonitor } from '../../server/src/verification/monitor.ts';
import { observe } from '../../server/src/verification/observation/observe.ts';
import { createVerifier } from '../../server/src/verification/verifier.ts';
import { cpuMicros, offer } from '../part.ts';

/**
 * Re-checks of verified domains in a process of its own, alone or beside the checks of pending ones: real stores, real
 * DNS packets.
 */
const methods = {
  open(options: { path: string; port: number }): void {
    opened = options;
  },

  /** So many re-checks under a clock that runs as fast as they do, so that as many are due at a time as in reality. */
  async simulate({ domains, rechecks }: { domains: number; rechecks: number }): Promise<Simulated> {
    simulatedNow = Math.max(simulatedNow, Date.now());
    const parts = await compose({ now: () => Math.floor(simulatedNow) });
    const tickMs = (MONITORING_INTERVAL_MS * AT_ONCE) / domains;
    const before = cpuMicros();
    let done = 0;
    while (done < rechecks) {
      simulatedNow += tickMs;
      done += await parts.monitor.runOnce();
    }
    const micros = (cpuMicros() - before) / done;
    await parts.close();
    return { micros, queries: parts.queries() / done };
  },

  /** Real time, as `main.ts` runs it: checks alone, or with re-checks beside them. */
  async run({ seconds, monitored }: { seconds: number; monitored: boolean }): Promise<RanBeside> {
    const parts = await compose(systemClock);
    const count = async () => ({
      checks: await parts.checks(),
      rechecks: await parts.rechecks(),
      queries: parts.queries(),
    });
    parts.verifier.start();
    if (monitored) parts.monitor.start();
    // Until delegations are cached and what was overdue is done.
    await delay(seconds * 1000);
    parts.latenessMs.length = 0;
    const first = await count();
    const before = cpuMicros();
    const began = performance.now();
    await delay(seconds * 1000);
    const then = await count();
    const cpuCores = (cpuMicros() - before) / 1000 / (performance.now() - began);
    await parts.close();
    return {
      checks: (then.checks - first.checks) / seconds,
      rechecks: (then.rechecks - first.rechecks) / seconds,
      queries: (then.queries - first.queries) / seconds,
      cpuCores,
      latenessMs: parts.latenessMs,
    };
  },
};

export interface Simulated {
  /** CPU-µs, and queries, of one re-check. */
  micros: number;
  queries: number;
}

/** A second; `latenessMs` of each claimed check. */
export interface RanBeside {
  checks: number;
  rechecks: number;
  queries: number;
  cpuCores: number;
  latenessMs: number[];
}

const AT_ONCE = 100;

let opened: { path: string; port: number } | undefined;
let simulatedNow = 0;

async function compose(clock: { now(): number }) {
  if (opened === undefined) throw new Error('nothing was opened');
  const { path, port } = opened;
  const store = await sqliteStore({ path, clock });
  const client = dnsClient();
  let queries = 0;
  const resolver = authoritativeResolver({
    ...{ client, clock, nameserverPort: port, allowedNetworks: ['127.0.0.0/8'] },
    resolvers: [{ address: '127.0.0.1', port }],
    onAnswer: () => queries++,
  });
  const metrics = createMetrics();
  const working = {
    clock: { now: () => clock.now(), isTrusted: () => true },
    random: Math.random,
    log: createLog('warn'),
    metrics,
  };
  const latenessMs: number[] = [];
  const noted: typeof store = {
    ...store,
    async claimDue(now, ...rest) {
      const due = await store.claimDue(now, ...rest);
      for (const { dueAt } of due) latenessMs.push(now - dueAt);
      return due;
    },
  };
  const verifier = createVerifier({ ...working, store: noted, resolver, checkIntervalMs: CHECK_INTERVAL_MS });
  const monitor = createMonitor({
    ...working,
    store,
    observe: (domain, depth, signal) => observe(resolver, domain, null, { depth, signal, random: Math.random }),
    checkSelf: null,
    mode: 'tell',
    cnameZone: 'cname.nameplate.test',
  });
  const sum = async (counter: typeof metrics.checks) =>
    (await counter.get()).values.reduce((total, { value }) => total + value, 0);
  return {
    verifier,
    monitor,
    latenessMs,
    queries: () => queries,
    checks: () => sum(metrics.checks),
    rechecks: () => sum(metrics.rechecks),
    async close() {
      await Promise.all([verifier.stop(10_000), monitor.stop(10_000)]);
      client.close();
      await store.close();
    },
  };
}

export type MonitoringPart = typeof methods;
offer(methods);
