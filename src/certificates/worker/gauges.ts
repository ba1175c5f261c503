import type { Clock } from '../../clock.ts';
import { OWNER_FIXABLE } from '../../domain/certificate-state.ts';
import type { Metrics } from '../../metrics.ts';
import type { CaLimit, CertificateStore } from '../../store/contract/store.ts';
import type { Issuer } from '../issuer.ts';
import { hostOf } from './ordering.ts';

export interface GaugesOptions {
  store: Pick<CertificateStore, 'countCertificates' | 'listExpiring' | 'countLedgerEntries'>;
  issuers: readonly Issuer[];
  limits: readonly CaLimit[];
  clock: Clock;
  metrics: Metrics;
}

/** So many that expire first are looked at: names that were led elsewhere stay among them until their domains are deleted. */
const LOOKED_AT = 1000;

/** Reads from the store how certificates stand as a whole. */
export async function measure({ store, issuers, limits, clock, metrics }: GaugesOptions): Promise<void> {
  const counts = await store.countCertificates();
  metrics.certificates.reset();
  for (const [state, count] of Object.entries(counts)) metrics.certificates.set({ state }, count);
  const expiring = await store.listExpiring(LOOKED_AT);
  const first = expiring.find(({ problem }) => problem === null || !OWNER_FIXABLE.includes(problem.reason));
  if (first?.issued) metrics.certificateExpiry.set(first.issued.notAfter / 1000);
  else metrics.certificateExpiry.remove();
  const limit = limits.find(({ name }) => name === 'orders');
  if (limit === undefined) return;
  for (const issuer of issuers.filter(({ usesHttp01 }) => usesHttp01)) {
    const { orders, exempt } = await store.countLedgerEntries(issuer.id, clock.now() - limit.windowMs);
    metrics.certificateBudget.set({ issuer: hostOf(issuer) }, Math.max(0, limit.limit - (orders - exempt)));
  }
}
