import type { Brand, Certificate, Diagnosis, Domain, Support } from '../client/client.ts';
import type { LinkProblem } from '../client/link-session.ts';

/** The page's knowledge of the domain behind a link. */
export interface SetupState {
  /**
   * `disabled`: the workspace is. `denied`: the API does not answer this page at all, for example because its origin is
   * not listed.
   */
  link: 'opening' | 'open' | 'deleted' | 'disabled' | 'denied' | LinkProblem;
  /** Whom to ask where it no longer works; null: the API does not say. */
  support: Support | null;
  /** Whether changes arrive. */
  isConnected: boolean;
  /** Changes do not arrive, because the link has reached a limit: it is open on many pages. */
  isCrowded: boolean;
  brand: Brand;
  /** The link itself, as it is sent on: a secret of the customer. Null where the address of its page is not known. */
  url?: string | null;
  domain: Domain | null;
  diagnosis: Diagnosis | null;
  certificate: Certificate | null;
  /** A check that somebody asked for is in progress. */
  isChecking: boolean;
  /** No other check may be asked for until then; Unix ms. */
  busyUntil: number | null;
  /** The last check that somebody asked for. */
  asked: Asked | null;
  /** Lead of the server's clock over the one here, in ms. */
  clockOffset: number;
}

export interface Asked {
  /** When it ended, by the clock here; Unix ms. */
  at: number;
  /** `busy`: too many were asked for. `failed`: there was no response. */
  outcome: 'same' | 'changed' | 'busy' | 'failed';
}

export const INITIAL_STATE: SetupState = {
  link: 'opening',
  support: null,
  isConnected: true,
  isCrowded: false,
  brand: {},
  domain: null,
  diagnosis: null,
  certificate: null,
  isChecking: false,
  busyUntil: null,
  asked: null,
  clockOffset: 0,
};

/** Whether the name has a certificate in use. */
export function isServed(certificate: Certificate | null): boolean {
  return certificate?.issued !== undefined;
}
