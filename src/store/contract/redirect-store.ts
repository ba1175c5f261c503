import type { Domain } from '../../domain/domain.ts';
import type { RedirectRefusal, RedirectStatus } from '../../domain/redirect.ts';

/** That a domain redirects to another one of its workspace, which is verified for as long as the redirect is there. */
export interface Redirect {
  domainId: string;
  destinationId: string;
  /** Name of the destination. */
  to: string;
  status: RedirectStatus;
  /** When it was set to this. */
  setAt: number;
}

/** `by`, of `destination_redirects`: where the destination redirects to; of `is_destination`: a domain that redirects to this one. */
export type SetRedirect =
  | { kind: 'set'; redirect: Redirect }
  | { kind: 'missing' | 'destination_missing' }
  | { kind: 'refused'; refusal: RedirectRefusal; by: Domain | null };

export interface RedirectChanges {
  /**
   * Sets or replaces the redirect of a domain, and adds the event `redirect.set`; where it is that already, nothing changes. `missing`,
   * `destination_missing`: the workspace has no such domain. `refused`: `domain/redirect.refuseRedirect` says why.
   */
  setRedirect(
    workspaceId: string,
    redirect: Pick<Redirect, 'domainId' | 'destinationId' | 'status'>,
    now: number,
    actor?: string | null,
  ): Promise<SetRedirect>;
  /** Adds the event `redirect.removed`. `none`: the domain does not redirect. */
  removeRedirect(
    workspaceId: string,
    domainId: string,
    now: number,
    actor?: string | null,
  ): Promise<'removed' | 'none' | 'missing'>;
}

/**
 * Redirects from domain to domain. At most one for each domain, of whatever status: it takes effect while the domain is verified. The transaction
 * that ends the verification of a destination removes the redirects to it (`redirect.removed`). Each change is logged as the change `route` with the name
 * of the domain that redirects, if that is verified.
 */
export interface RedirectStore extends RedirectChanges {
  /** Null: the domain does not redirect, or there is no such domain in the workspace. */
  findRedirect(workspaceId: string, domainId: string): Promise<Redirect | null>;
}
