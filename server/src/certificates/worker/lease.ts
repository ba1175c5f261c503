import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { CertificateStore, DueCertificate } from '../../store/store.ts';

/** The lease of a claimed certificate, extended while the work takes. */
export interface Lease {
  /** The fencing token. */
  readonly token: number;
  /** Aborted with `LeaseLost`, or with `Interrupted`. */
  readonly signal: AbortSignal;
  /** Extends the lease if that is due. Rejects with the signal's reason once that is aborted. */
  ensure(): Promise<void>;
}

/** The lease was stolen after it expired, or the certificate was deleted. The result of the work is dropped. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';

  constructor() {
    super('The lease was lost.');
  }
}

/** The work was aborted, and continues after `retryMs`. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly retryMs: number;

  constructor(message: string, retryMs: number) {
    super(message);
    this.retryMs = retryMs;
  }
}

interface LeaseOptions {
  store: Pick<CertificateStore, 'extendLease'>;
  clock: Clock;
  log: Log;
  leaseMs: number;
}

/**
 * Extends a lease every third of its time, until `stop`, or until `interrupted` aborts. The signal of the lease does
 * too when the lease is lost. A store that is down for less than the lease does not end it.
 */
export function holdLease(
  { certificate: { hostname }, lease: token }: DueCertificate,
  interrupted: AbortSignal,
  { store, clock, log, leaseMs }: LeaseOptions,
): Lease & { stop(): void } {
  const lost = new AbortController();
  const signal = AbortSignal.any([interrupted, lost.signal]);
  let extendedAt = performance.now();
  const extend = async () => {
    const extended = await store.extendLease(hostname, token, clock.now() + leaseMs).catch((error: unknown) => {
      log.warn({ err: error, domain: hostname }, 'the lease of a certificate could not be extended');
      return performance.now() - extendedAt < leaseMs ? 'unknown' : 'lost';
    });
    if (extended === 'held') extendedAt = performance.now();
    if (extended === 'lost') lost.abort(new LeaseLost());
  };
  const timer = setInterval(extend, leaseMs / 3);
  const stop = () => clearInterval(timer);
  signal.addEventListener('abort', stop, { once: true });
  return {
    token,
    signal,
    async ensure() {
      if (performance.now() - extendedAt > leaseMs / 3) await extend();
      signal.throwIfAborted();
    },
    stop,
  };
}
