import type { Domain } from './domain.ts';
import { isWildcard } from './wildcard.ts';

/** Permanent redirects: 308 keeps the method and the body (RFC 9110 section 15.4.9); after 301, clients may send GET in place of POST (section 15.4.2). */
export const REDIRECT_STATUSES = [301, 308] as const;

export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** Most domains that redirect to one, since the change that ends its verification also ends all of these. */
export const MAX_REDIRECTS_TO_ONE = 100;

/** Why a redirect was removed: somebody asked for it, or its destination was deleted, failed, or was taken over by another workspace. */
export type RedirectEnd = 'requested' | 'destination_deleted' | 'destination_failed' | 'destination_superseded';

/** The redirect, in events of type `redirect.*`. */
export interface RedirectChange {
  /** Name of the destination. */
  to: string;
  status: RedirectStatus;
  /** In `redirect.removed`. */
  reason?: RedirectEnd;
}

/**
 * Why a domain cannot redirect to another. `itself`: both are one. `wildcard`: the destination has no host name of its own. `not_verified`: the destination is not served. `destination_redirects`, `is_destination`: a request
 * would be redirected twice, or in circles. `too_many`: `MAX_REDIRECTS_TO_ONE` domains redirect to the destination.
 */
export type RedirectRefusal =
  | 'itself'
  | 'wildcard'
  | 'not_verified'
  | 'destination_redirects'
  | 'is_destination'
  | 'too_many';

interface RedirectSituation {
  domain: Pick<Domain, 'id'>;
  destination: Pick<Domain, 'id' | 'name' | 'status'>;
  /** Whether the destination may be one whose first verification is still to come. */
  mayWait?: boolean;
  /** Whether the destination redirects itself. */
  destinationRedirects: boolean;
  /** Whether any domain redirects to `domain`. */
  isDestination: boolean;
  /** Other domains that redirect to the destination. */
  othersToDestination: number;
}

/** Null: the domain may redirect to the destination. Every redirect is one hop: what is redirected is no destination, so there are neither chains nor loops. */
export function refuseRedirect(situation: RedirectSituation): RedirectRefusal | null {
  const { domain, destination, mayWait = false, destinationRedirects, isDestination, othersToDestination } = situation;
  if (domain.id === destination.id) return 'itself';
  if (isWildcard(destination.name)) return 'wildcard';
  if (destination.status !== 'verified' && !mayWait) return 'not_verified';
  if (destinationRedirects) return 'destination_redirects';
  if (isDestination) return 'is_destination';
  return othersToDestination >= MAX_REDIRECTS_TO_ONE ? 'too_many' : null;
}
