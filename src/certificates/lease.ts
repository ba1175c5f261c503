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
