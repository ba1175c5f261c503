/** HTTP statuses of the page that replaces a suspended site: 451 for legal reasons (RFC 7725), 503 for any other. */
export const SUSPENSION_STATUSES = [451, 503] as const;

export type SuspensionStatus = (typeof SUSPENSION_STATUSES)[number];

/** The page that visitors get in place of the site; absent if the site is not suspended. */
export interface Suspension {
  status: SuspensionStatus;
  /** `workspace`: with a key of it. `operator`: the domain or the whole workspace, and no key can undo it. */
  by: 'workspace' | 'operator';
  suspendedAt: number;
}

/** The operator's, where there is one. */
export function effectiveSuspension(workspace: Suspension | null, domain: Suspension | null): Suspension | null {
  return workspace ?? domain;
}
