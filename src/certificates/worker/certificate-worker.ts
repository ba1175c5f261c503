import type { Clock } from '../../clock.ts';
import type { Resolver } from '../../dns/resolver.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { createSelfChecker } from '../../selfcheck/self-check.ts';
import type { CaLimit, Certificate, CertificateStore, DueCertificate } from '../../store/contract/store.ts';
import { CA_PROBLEM_KINDS, caHost, type Issuer } from '../issuer.ts';
import type { AddressPolicy } from '../policy/address-rule.ts';
import { LETS_ENCRYPT_LIMITS } from '../policy/budget.ts';
import { raceAbort } from '../race-abort.ts';
import { createAttempt } from './attempt.ts';
import { type AttemptResult, unchanged } from './attempt-result.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createFallback } from './fallback.ts';
import { holdLease, Interrupted, type Lease, LeaseLost } from './lease.ts';
import { createMaintenance } from './maintenance.ts';
import { newNameThrottle } from './new-name-throttle.ts';
import { createOrders } from './place-order.ts';

export interface CertificateWorkerOptions {
  store: CertificateStore;
  /** In order of preference: each next one is the fallback. */
  issuers: readonly Issuer[];
  resolver: Resolver;
  /** Which addresses the self-check may connect to (`addressRule`). */
  mayDial: AddressRule;
  clock: Clock;
  /** Returns numbers in [0, 1), for jitter. */
  random: () => number;
  log: Log;
  metrics: Metrics;
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
  /** Whether our challenge response is fetched through a name before the CA is asked; true by default. CAA is always checked. */
  checksSelf?: boolean;
  /** Time limit of the self-check for one address. */
  selfCheckMs?: number;
  /** How often due certificates are looked for. */
  pollMs?: number;
}

/** Obtains and renews the certificates that are due, in one process. */
export interface CertificateWorker {
  /** Starts polling. */
  start(): void;
  /** Works on everything that is due, for tests and tools. Resolves with the number of attempts. */
  runOnce(): Promise<number>;
  /** Stops claiming. Resolves when nothing is in flight; aborts what still is after `graceMs`, to be resumed by another node. */
  stop(graceMs?: number): Promise<void>;
}

const MINUTE_MS = 60_000;

/** Claims due certificates, attempts each, and saves the result. An attempt that is lost is repeated when its lease has expired. */
export function createCertificateWorker(options: CertificateWorkerOptions): CertificateWorker {
  const { store, clock, log, limits = LETS_ENCRYPT_LIMITS, capacity = 25, leaseMs = MINUTE_MS } = options;
  const { deadlineMs = 10 * MINUTE_MS, pollMs = 500, checksSelf = true, selfCheckMs, multiAddress = 'any' } = options;
  const circuitBreaker = createCircuitBreaker(options);
  const fallback = createFallback({ ...options, circuitBreaker });
  const orders = createOrders({ ...options, limits, circuitBreaker, fallback });
  const checkSelf = checksSelf
    ? createSelfChecker({ ...options, ...(selfCheckMs && { timeoutMs: selfCheckMs }) })
    : null;
  const attempt = createAttempt({ ...options, orders, circuitBreaker, fallback, checkSelf, multiAddress });
  const maintenance = createMaintenance({ ...options, limits });
  const throttle = newNameThrottle();
  const inFlight = new Map<Promise<void>, AbortController>();
  let timer: NodeJS.Timeout | undefined;
  let claiming: Promise<unknown> = Promise.resolve();
  let failing = false;
  let stopped = false;
  // So that the first of each shows as an increase.
  for (const issuer of options.issuers.map(caHost))
    for (const outcome of ['issued', ...CA_PROBLEM_KINDS])
      options.metrics.certificateOrders.inc({ issuer, outcome }, 0);

  /** Claims and begins as many certificates as the capacity allows. */
  async function claim(): Promise<Promise<void>[]> {
    const begun: Promise<void>[] = [];
    const claimAtMost = async (limit: number, newNames: boolean) => {
      if (stopped || limit <= 0) return;
      const due = await store.claimCertificates({ now: clock.now(), limit, leaseMs, newNames });
      for (const one of due) begun.push(begin(one));
    };
    const free = () => capacity - inFlight.size;
    if (free() > 0 && throttle.available(1, clock.now()) === 0 && (await circuitBreaker.isAnyClosed()))
      throttle.unblock();
    // While new names are throttled, certificates in use go first.
    if (throttle.available(free(), clock.now()) < free()) await claimAtMost(free(), false);
    await claimAtMost(throttle.available(free(), clock.now()), true);
    return begun;
  }

  function begin(due: DueCertificate): Promise<void> {
    const controller = new AbortController();
    const { hostname } = due.certificate;
    const abort = () => controller.abort(new Interrupted('The attempt took too long.', MINUTE_MS));
    const deadline = setTimeout(abort, deadlineMs);
    const lease = holdLease(due, controller, { store, clock, log, leaseMs });
    const done = complete(due, lease)
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) log.info({ domain: hostname }, 'the lease of a certificate was lost');
        else
          log.error(
            { err: error, domain: hostname },
            'a certificate attempt failed; trying again when its lease expires',
          );
      })
      .then(() => {
        clearTimeout(deadline);
        lease.stop();
        inFlight.delete(done);
      });
    inFlight.set(done, controller);
    return done;
  }

  async function complete(due: DueCertificate, lease: Lease): Promise<void> {
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

  function poll(): void {
    timer = undefined;
    claiming = claim()
      .then((begun) => {
        if (failing) log.info('due certificates can be claimed again');
        failing = false;
        return begun.length;
      })
      .catch((error: unknown) => {
        if (!failing) log.error({ err: error }, 'due certificates cannot be claimed; trying again until they can');
        failing = true;
        return 0;
      })
      .then((count) => {
        // More may be due.
        if (!stopped) timer = setTimeout(poll, count > 0 && inFlight.size < capacity ? 0 : pollMs);
      });
  }

  return {
    start() {
      if (timer !== undefined || stopped) return;
      poll();
      maintenance.start();
    },
    async runOnce() {
      let count = 0;
      for (let begun = await claim(); begun.length > 0; begun = await claim()) {
        count += begun.length;
        await Promise.all(begun);
      }
      return count;
    },
    async stop(graceMs = 3000) {
      stopped = true;
      clearTimeout(timer);
      await Promise.all([claiming, maintenance.stop()]);
      const grace = setTimeout(() => {
        for (const controller of inFlight.values()) controller.abort(new Interrupted('The process stops.', 0));
      }, graceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
    },
  };
}
