/** Share of a CA's limits that new names may use. The rest is for renewals. */
export const NEW_NAMES_SHARE = 0.8;

/** New names that may be ordered in one window at so many CAs, each with this limit of orders. */
export function newNamesPerWindow(limit: number, cas: number): number {
  return Math.max(1, Math.floor(limit * NEW_NAMES_SHARE)) * Math.max(1, cas);
}

/** A CA's published limit of orders, or another one, which says nothing of all names. */
interface PublishedLimit {
  name: string;
  limit: number;
  windowMs: number;
}

/**
 * The longest time, in ms, until the last of `waiting` new names may be ordered, as far as limits of orders go: 0, where all may be now. Each of `cas` CAs has
 * these limits. `ledgerOrdersInWindow`: orders of all of them in the window that now ends, without exempt ones. They leave it when they were made; the
 * latest is assumed. Names whose certificate is in use already are none of those that wait.
 */
export function timeToIssue({
  waiting,
  ledgerOrdersInWindow,
  limits,
  cas,
}: {
  waiting: number;
  ledgerOrdersInWindow: number;
  limits: readonly PublishedLimit[];
  cas: number;
}): number {
  const slowest = limits
    .filter(({ name }) => name === 'orders')
    .map(({ limit, windowMs }) => {
      const perWindow = newNamesPerWindow(limit, cas);
      const later = Math.max(0, waiting - Math.max(0, perWindow - ledgerOrdersInWindow));
      return Math.ceil(later / perWindow) * windowMs;
    });
  return Math.max(0, ...slowest);
}
