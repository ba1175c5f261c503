import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { CertificateStore, DueCertificate } from '../../store/contract/store.ts';

/** The hold on a certificate that somebody works on. */
export interface Lease {
  readonly number: number;
  /** Ends with `LeaseLost`, or with `Interrupted`. */
  readonly signal: AbortSignal;
  /** Makes sure that it is held. Rejects with `LeaseLost`, or with `Interrupted`. */
  alive(): Promise<void>;
}

/** Somebody else works on the certificate now, or it is gone. Whatever was found out about it is thrown away. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';

  constructor() {
    super('The lease was lost.');
  }
}

/** The work was cut short, on account of nobody's fault; it is gone on with after `retryMs`. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly retryMs: number;

  constructor(message: string, retryMs: number) {
    super(message);
    this.retryMs = retryMs;
  }
}

export interface LeaseOptions {
  store: Pick<CertificateStore, 'extendLease'>;
  clock: Clock;
  log: Log;
  /** How long the store keeps it for somebody who says nothing more. */
  leaseMs: number;
}

/**
 * Keeps the lease of what was claimed for as long as the work takes, or may take: `end` it, or abort the controller. It aborts the controller itself
 * when the lease was lost. A store that is away for a while does not end it.
 */
export function holdLease(
  { certificate: { hostname }, lease: number }: DueCertificate,
  controller: AbortController,
  { store, clock, log, leaseMs }: LeaseOptions,
): Lease & { end(): void } {
  let extendedAt = performance.now();
  const extend = async () => {
    const held = await store.extendLease(hostname, number, clock.now() + leaseMs).catch((error: unknown) => {
      log.warn({ err: error, domain: hostname }, 'the lease of a certificate could not be extended');
      return performance.now() - extendedAt < leaseMs ? 'unknown' : 'lost';
    });
    if (held === 'held') extendedAt = performance.now();
    if (held === 'lost') controller.abort(new LeaseLost());
  };
  const timer = setInterval(extend, leaseMs / 3);
  const end = () => clearInterval(timer);
  controller.signal.addEventListener('abort', end, { once: true });
  return {
    number,
    signal: controller.signal,
    async alive() {
      if (performance.now() - extendedAt > leaseMs / 3) await extend();
      controller.signal.throwIfAborted();
    },
    end,
  };
}
