import type { Clock } from '../../clock.ts';
import type { Resolver } from '../../dns/resolver.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { AddressRule } from '../../net/addresses.ts';
import type { CaLimit, Certificate, CertificateStore, DueCertificate } from '../../store/contract/store.ts';
import type { Issuer } from '../issuer.ts';
import { LETS_ENCRYPT_LIMITS } from '../policy/budget.ts';
import { createSelfChecker, unchecked } from '../preflight/self-check.ts';
import { createAttempt } from './attempt.ts';
import { createPauses } from './circuit-breaker.ts';
import { createSubstitutes } from './fallback.ts';
import { holdLease, Interrupted, type Lease, LeaseLost } from './lease.ts';
import { createGate } from './new-name-throttle.ts';
import { createOrdering } from './ordering.ts';
import { type Outcome, unchanged } from './outcome.ts';
import { unlessAborted } from './unless-aborted.ts';
import { createUpkeep } from './upkeep.ts';

export interface CertificateWorkerOptions {
  store: CertificateStore;
  /** In the order in which they are asked: the second does what the first refuses or cannot do. */
  issuers: readonly Issuer[];
  resolver: Resolver;
  /** Tells at which addresses of names the self-check may ask (`addressRule`). */
  mayDial: AddressRule;
  clock: Clock;
  /** Numbers in [0, 1), for jitter. */
  random: () => number;
  log: Log;
  metrics: Metrics;
  /** What each CA allows, as it publishes it; Let's Encrypt's unless given. The internal CA is not limited. */
  limits?: readonly CaLimit[];
  /** Ports that the world reaches the edge at; 80 and 443 unless given. */
  ports?: { http: number; https: number };
  /** Most certificates that are worked on at once. */
  capacity?: number;
  /** How long a crash leaves a certificate alone. */
  leaseMs?: number;
  /** Longest time one attempt may take; what is not done by then is gone on with later. */
  deadlineMs?: number;
  /** Whether our own challenge path is fetched through a name before the CA is asked; otherwise CAA alone is looked at. True unless given. */
  checksSelf?: boolean;
  /** Longest time the self-check waits for one address. */
  selfCheckMs?: number;
  /** How often due certificates are looked for. */
  pollMs?: number;
}

/** Obtains and renews the certificates that are due, in one process. */
export interface CertificateWorker {
  /** Looks for due certificates from now on. */
  start(): void;
  /** Claims all that is due and does what there is to do, for tests and tools. Resolves with the number of certificates. */
  runOnce(): Promise<number>;
  /** Claims no more; resolves when what is under way is done, or `graceMs` later, when the rest has been left for others to go on with. */
  stop(graceMs?: number): Promise<void>;
}

const MINUTE_MS = 60_000;

/** Claims due certificates and completes each: look, order, save. One that is lost comes round again when its lease ends. */
export function createCertificateWorker(options: CertificateWorkerOptions): CertificateWorker {
  const { store, issuers, resolver, mayDial, clock, log, ports, selfCheckMs } = options;
  const { limits = LETS_ENCRYPT_LIMITS, capacity = 25, leaseMs = MINUTE_MS } = options;
  const { deadlineMs = 10 * MINUTE_MS, pollMs = 500 } = options;
  const pauses = createPauses(options);
  const substitutes = createSubstitutes({ issuers, pauses, clock });
  const ordering = createOrdering({ ...options, limits, pauses, substitutes });
  const checked = { ...(ports && { ports }), ...(selfCheckMs && { timeoutMs: selfCheckMs }) };
  const { checksSelf = true } = options;
  const checkSelf = checksSelf ? createSelfChecker({ store, resolver, mayDial, clock, ...checked }) : unchecked;
  const attempt = createAttempt({ ...options, ordering, pauses, substitutes, checkSelf });
  const upkeep = createUpkeep({ ...options, limits });
  const gate = createGate();
  const inFlight = new Map<Promise<void>, AbortController>();
  let timer: NodeJS.Timeout | undefined;
  let claiming: Promise<unknown> = Promise.resolve();
  let failing = false;
  let stopped = false;

  /** Claims and begins as many as there is room for. */
  async function claim(): Promise<Promise<void>[]> {
    const begun: Promise<void>[] = [];
    const claimed = async (limit: number, newNames: boolean) => {
      if (stopped || limit <= 0) return;
      const due = await store.claimCertificates({ now: clock.now(), limit, leaseMs, newNames });
      for (const one of due) begun.push(begin(one));
    };
    const left = () => capacity - inFlight.size;
    // Where not every new name may go on, what is in use goes first.
    if (gate.room(left(), clock.now()) < left()) await claimed(left(), false);
    await claimed(gate.room(left(), clock.now()), true);
    return begun;
  }

  function begin(due: DueCertificate): Promise<void> {
    const controller = new AbortController();
    const { hostname } = due.certificate;
    const late = () => controller.abort(new Interrupted('It took too long.', MINUTE_MS));
    const deadline = setTimeout(late, deadlineMs);
    const lease = holdLease(due, controller, { store, clock, log, leaseMs });
    const done = complete(due, lease)
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) log.info({ domain: hostname }, 'somebody else works on the certificate now');
        else log.error({ err: error, domain: hostname }, 'a certificate could not be seen to; it comes round again');
      })
      .then(() => {
        clearTimeout(deadline);
        lease.end();
        inFlight.delete(done);
      });
    inFlight.set(done, controller);
    return done;
  }

  async function complete(due: DueCertificate, lease: Lease): Promise<void> {
    const { certificate } = due;
    const { hostname } = certificate;
    const outcome = await unlessAborted(attempt(due, lease), lease.signal).catch(async (error: unknown) => {
      if (!(lease.signal.reason instanceof Interrupted)) throw error;
      return interrupted(certificate, lease.signal.reason);
    });
    const { fullUntil, ...save } = outcome;
    if (fullUntil !== undefined) gate.close(fullUntil);
    else if (save.orderOutcome !== undefined && certificate.issued === null) gate.open();
    const saved = await store.saveCertificate({ ...save, hostname, lease: lease.number, now: clock.now() });
    if (saved === 'lost') throw new LeaseLost();
  }

  /** As it stands by now: an order may have been begun, which is gone on with. */
  async function interrupted(claimed: Certificate, { retryMs }: Interrupted): Promise<Outcome> {
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
        // Whoever found something may find more.
        if (!stopped) timer = setTimeout(poll, count > 0 && inFlight.size < capacity ? 0 : pollMs);
      });
  }

  return {
    start() {
      if (timer !== undefined || stopped) return;
      poll();
      upkeep.start();
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
      await Promise.all([claiming, upkeep.stop()]);
      const grace = setTimeout(() => {
        for (const controller of inFlight.values()) controller.abort(new Interrupted('The process stops.', 0));
      }, graceMs);
      await Promise.all(inFlight.keys());
      clearTimeout(grace);
    },
  };
}
