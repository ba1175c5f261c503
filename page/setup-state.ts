import type { Brand, Certificate, Diagnosis, Domain } from '../client/client.ts';
import type { LinkProblem } from './session.ts';

/** What is known of the domain of a link. */
export interface Followed {
  /** `disabled`: the workspace is. `denied`: the API does not answer this page at all, such as one of an origin that is not listed. */
  link: 'opening' | 'open' | 'deleted' | 'disabled' | 'denied' | LinkProblem;
  /** Whom to ask where it no longer works, in a sentence of the API. */
  advice: string | null;
  /** Whether changes arrive. */
  isConnected: boolean;
  /** They do not, for the link has reached a limit: it is open on many pages. */
  isCrowded: boolean;
  brand: Brand;
  domain: Domain | null;
  diagnosis: Diagnosis | null;
  certificate: Certificate | null;
  /** A check that somebody asked for is being made. */
  isChecking: boolean;
  /** Until when no other may be asked for; Unix ms. */
  busyUntil: number | null;
  /** What the clock of the server is ahead of the one here, in ms. */
  clockOffset: number;
}

export const NOTHING: Followed = {
  link: 'opening',
  advice: null,
  isConnected: true,
  isCrowded: false,
  brand: {},
  domain: null,
  diagnosis: null,
  certificate: null,
  isChecking: false,
  busyUntil: null,
  clockOffset: 0,
};

/** Whether the name has a certificate in use. */
export function isServed(certificate: Certificate | null): boolean {
  return certificate?.issued !== undefined;
}
