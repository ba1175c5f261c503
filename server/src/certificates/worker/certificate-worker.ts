import type { Clock } from '../../base/clock.ts';
import { type Claim, createDueLoop, type DueLoop } from '../../base/due-loop.ts';
import type { Log } from '../../base/log.ts';
import { raceAbort } from '../../base/time-limit.ts';
import type { Resolver } from '../../dns/resolver.ts';
import type { AddressRule } from '../../net/addresses.ts';
import type { CaLimit, Certificate, CertificateStore, DnsStore, DueCertificate } from '../../store/store.ts';
import { createSelfChecker, createTlsSelfChecker } from '../../verification/observation/self-check.ts';
import { CA_PROBLEM_KINDS, caHost, type Issuer } from '../issuer.ts';
import type { AddressPolicy } from '../policy/address-rule.ts';
import { LETS_ENCRYPT_LIMITS } from '../policy/budget.ts';
import type { OwnDns } from '../policy/challenge-place.ts';
import { type AskTxt, awaitDnsChallenge } from '../preflight/await-dns-challenge.ts';
import { createAttempt } from './attempt.ts';
import { type AttemptResult, unchanged } from './attempt-result.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';
import { challengeChoosers } from './challenge-chooser.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createFallback } from './fallback.ts';
import { holdLease, Interrupted, type Lease, LeaseLost } from './lease.ts';
import { startMaintenance } from './maintenance.ts';
import { newNameThrottle } from './new-name-throttle.ts';
import { createOrders } from './place-order.ts';

export interface CertificateWorkerOptions {
  store: CertificateStore & Pick<DnsStore, 'addDnsChallenge' | 'removeDnsChallenge'>;
  /** In order of preference: each next one is the fallback. */
  issuers: readonly Issuer[];
  resolver: Resolver;
  /** Which addresses the self-check may connect to (`addressRule`). */
  mayDial: AddressRule;
  /** Our DNS servers, and what asks them; null: they answer no challenges. */
  ownDns?: (OwnDns & { ask: AskTxt }) | null;
  /** How long a challenge in DNS may take until it is seen from the name. */
  dnsChallengeMs?: number;
  clock: Clock;
  /** Returns numbers in [0, 1), for jitter. */
  random: () => number;
  log: Log;
  metrics: CertificateMetrics;
  /** As published by each CA; by default those of Let's Encrypt. The internal CA has none. */
  limits?: readonly CaLimit[];
  /** Which addresses of a name with several have to answer; by default `any`. */
  multiAddress?: AddressPolicy;
  /** The edge's ports, as the Internet sees them; by default 80 and 443. */
  ports?: { http: number; https: number };
  /** Concurrency limit. */
  capacity?: number;
  /** How long a crash leaves a certificate alone. */
  leaseMs?: number;
  /** Time limit of one attempt; an order that takes longer is resumed later. */
  deadlineMs?: number;
  /**
   * Whether our challenge response is fetched through a name before the CA is asked; true by default. CAA is always
   * checked.
   */
  checksSelf?: boolean;
  /** Time limit of the self-check for one address. */
  selfCheckMs?: number;
  /** How often due certificates are looked for. */
  pollMs?: number;
}

/** Obtains and renews the certificates that are due, in one process. */
export type CertificateWorker = DueLoop;

const MINUTE_MS = 60_000;

/**
 * Claims due certificates, attempts each, and saves the result. An attempt that is lost is repeated when its lease has
 * expired.
 */
export function createCertificateWorker(options: CertificateWorkerOptions): CertificateWorker {
  const { store, clock, log, limits = LETS_ENCRYPT_LIMITS, capacity = 25, leaseMs = MINUTE_MS } = options;
  const { deadlineMs = 10 * MINUTE_MS, pollMs = 500, checksSelf = true, selfCheckMs, multiAddress = 'any' } = options;
  const { ownDns = null } = options;
  const circuitBreaker = createCircuitBreaker(options);
  const fallback = createFallback({ ...options, circuitBreaker });
  const awaitDns = ownDns && awaitDnsChallenge({ ...options, own: ownDns, timeoutMs: options.dnsChallengeMs });
  const orders = createOrders({ ...options, limits, circuitBreaker, fallback, awaitDns });
  const checking = { ...options, ...(selfCheckMs && { timeoutMs: selfCheckMs }) };
  const checkSelf = checksSelf ? { http: createSelfChecker(checking), tls: createTlsSelfChecker(checking) } : null;
  const chooserFor = challengeChoosers({ ...options, checkSelf, multiAddress });
  const attempt = createAttempt({ ...options, orders, circuitBreaker, fallback, chooserFor });
  const throttle = newNameThrottle();
  let maintenance: { stop(): Promise<void> } | undefined;
  // The counters start at 0, so that the first outcome of each kind shows as an increase.
  for (const issuer of options.issuers.map(caHost))
    for (const outcome of ['issued', ...CA_PROBLEM_KINDS])
      options.metrics.certificateOrders.inc({ issuer, outcome }, 0);

  async function claim(now: number, limit: number): Promise<DueCertificate[]> {
    if (throttle.available(1, now) === 0 && (await circuitBreaker.isAnyClosed())) throttle.unblock();
    const isThrottled = throttle.available(limit, now) < limit;
    // While new names are throttled, certificates in use go first.
    const inUse = isThrottled ? await store.claimCertificates({ now, limit, leaseMs, newNames: false }) : [];
    const rest = throttle.available(limit - inUse.length, now);
    return rest === 0
      ? inUse
      : [...inUse, ...(await store.claimCertificates({ now, limit: rest, leaseMs, newNames: true }))];
  }

  async function complete(due: DueCertificate, { signal }: Claim): Promise<void> {
    const lease = holdLease(due, signal, { store, clock, log, leaseMs });
    try {
      await attemptAndSave(due, lease);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      log.info({ domain: due.certificate.hostname }, 'the lease of a certificate was lost');
    } finally {
      lease.stop();
    }
  }

  async function attemptAndSave(due: DueCertificate, lease: Lease): Promise<void> {
    const { hostname, issued } = due.certificate;
    const result = await raceAbort(attempt(due, lease), lease.signal).catch((error: unknown) => {
      if (!(lease.signal.reason instanceof Interrupted)) throw error;
      return interrupted(due.certificate, lease.signal.reason);
    });
    const { newNamesBlockedUntil, ...save } = result;
    if (newNamesBlockedUntil !== undefined) throttle.block(newNamesBlockedUntil);
    else if (save.orderOutcome !== undefined && issued === null) throttle.accelerate();
    const saved = await store.saveCertificate({ ...save, hostname, lease: lease.token, now: clock.now() });
    if (saved === 'lost') throw new LeaseLost();
  }

  /** Saves the certificate as it is now: an order may have begun, which is resumed. */
  async function interrupted(claimed: Certificate, { retryMs }: Interrupted): Promise<AttemptResult> {
    const certificate = (await store.findCertificate(claimed.hostname)) ?? claimed;
    return unchanged(certificate, clock.now() + retryMs);
  }

  const loop = createDueLoop<DueCertificate, void>({
    ...{ clock, log, name: 'certificate', maxInFlight: capacity, batch: capacity, deadlineMs, pollMs, restMs: 0 },
    claim,
    complete,
    about: ({ certificate }) => ({ domain: certificate.hostname }),
    abortReason: (why) =>
      why === 'stop'
        ? new Interrupted('The process stops.', 0)
        : new Interrupted('The attempt took too long.', MINUTE_MS),
  });

  return {
    start() {
      loop.start();
      maintenance ??= startMaintenance({ ...options, limits });
    },
    async runOnce() {
      let count = 0;
      for (let last = await loop.runOnce(); last > 0; last = await loop.runOnce()) count += last;
      return count;
    },
    async stop(graceMs) {
      await Promise.all([loop.stop(graceMs), maintenance?.stop()]);
    },
  };
}
