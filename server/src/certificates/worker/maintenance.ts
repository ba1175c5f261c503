import { OWNER_FIXABLE } from '../../../../words/reasons.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { repeat } from '../../base/repeat.ts';
import { LEDGER_RETENTION_MS, waitingSince } from '../../domain/certificate-state.ts';
import type { CaLimit, CertificateStore } from '../../store/store.ts';
import { caHost, type Issuer } from '../issuer.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';

interface MaintenanceOptions {
  store: Pick<
    CertificateStore,
    | 'countCertificates'
    | 'listExpiring'
    | 'listWaiting'
    | 'recordExpiring'
    | 'countLedgerEntries'
    | 'recordIssuing'
    | 'pruneInheritedCertificates'
    | 'pruneChallenges'
    | 'pruneLedger'
  >;
  issuers: readonly Issuer[];
  limits: readonly CaLimit[];
  clock: Clock;
  log: Log;
  metrics: CertificateMetrics;
}

const EVERY_MS = 60_000;
/** Certificates that expire first. Names that point elsewhere stay among them until their domains are deleted. */
const EXPIRING = 1000;

/**
 * Certificates that have been without one in use for longest: among them is the one that waits for longest, unless more
 * than these wait for something else.
 */
const WAITING = 1000;

/** Certificates in use that one write looks at. */
const RECORDED_AT_ONCE = 50;

/**
 * Once a minute: saves the worker's heartbeat, records which certificates are expiring, deletes what has expired, and
 * updates the gauges. `stop` resolves when nothing is in flight.
 */
export function startMaintenance(options: MaintenanceOptions): { stop(): Promise<void> } {
  const { store, clock, log } = options;
  let stopped = false;

  async function maintain(): Promise<void> {
    const now = clock.now();
    await store.recordIssuing(now);
    await store.pruneChallenges(now);
    await store.pruneInheritedCertificates(now);
    await store.pruneLedger(now - LEDGER_RETENTION_MS);
    while (!stopped && (await store.recordExpiring(now, RECORDED_AT_ONCE)) === RECORDED_AT_ONCE);
    await updateGauges(options);
  }

  const message = 'certificate maintenance failed; trying again in a minute';
  const repeated = repeat(maintain, { everyMs: EVERY_MS, message, log });
  return {
    stop() {
      stopped = true;
      return repeated.stop();
    },
  };
}

async function updateGauges({ store, issuers, limits, clock, metrics }: MaintenanceOptions): Promise<void> {
  const counts = await store.countCertificates();
  metrics.certificates.reset();
  for (const [state, count] of Object.entries(counts)) metrics.certificates.set({ state }, count);
  const expiring = await store.listExpiring(EXPIRING);
  const first = expiring.find(({ problem }) => problem === null || !OWNER_FIXABLE.has(problem.reason));
  if (first?.issued) metrics.certificateExpiry.set(first.issued.notAfter / 1000);
  else metrics.certificateExpiry.remove();
  const waiting = (await store.listWaiting(WAITING)).map(waitingSince).filter((since) => since !== null);
  const waitMs = waiting.length === 0 ? 0 : clock.now() - Math.min(...waiting);
  metrics.certificateWaitSeconds.set(Math.max(0, waitMs) / 1000);
  const limit = limits.find(({ name }) => name === 'orders');
  if (limit === undefined) return;
  for (const issuer of issuers.filter(({ validatesNames }) => validatesNames)) {
    const { orders, exempt } = await store.countLedgerEntries(issuer.id, clock.now() - limit.windowMs);
    metrics.certificateBudget.set({ issuer: caHost(issuer) }, Math.max(0, limit.limit - (orders - exempt)));
  }
}
