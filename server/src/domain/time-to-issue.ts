/** Share of a CA's limits that new names may use. The rest is for renewals. */
export const NEW_NAMES_SHARE = 0.8;

/** New names that may be ordered in one window at so many CAs, each with this limit of orders. */
export function newNamesPerWindow(limit: number, cas: number): number {
  return Math.max(1, Math.floor(limit * NEW_NAMES_SHARE)) * Math.max(1, cas);
}

/**
 * The longest time, in ms, until the last of `waiting` new names may be ordered at `cas` CAs that each have this limit of orders, if no others are ordered meanwhile:
 * 0, where all may be now. `ordersInWindow`: orders at all of them in the window that now ends, without exempt ones. They leave it when they were made; the
 * latest is assumed.
 */
export function timeToIssue(
  waiting: number,
  ordersInWindow: number,
  { limit, windowMs, cas }: { limit: number; windowMs: number; cas: number },
): number {
  const perWindow = newNamesPerWindow(limit, cas);
  const later = Math.max(0, waiting - Math.max(0, perWindow - ordersInWindow));
  return Math.ceil(later / perWindow) * windowMs;
}
