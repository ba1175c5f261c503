import type { Principal } from '../../access/root-key-cache.ts';
import { Problem } from '../errors.ts';
import { shareOf } from '../load-shedding.ts';

/** Most streams that are open at once. */
export interface WatchLimits {
  total: number;
  perWorkspace: number;
  /** Streams of one root key, or one user of the dashboard. */
  perKey: number;
  /** Open pages of one set-up link. */
  perLink: number;
}

/** Open streams of one set-up link, in a process. */
const PER_LINK = 10;

/** The limits of one thread, of those of a process: connections are spread evenly over its threads. */
export function watchLimitsOfThread(limits: Omit<WatchLimits, 'perLink'>, threads: number): WatchLimits {
  const share = (limit: number) => (limit === 0 ? 0 : shareOf(limit, threads));
  return {
    total: share(limits.total),
    perWorkspace: share(limits.perWorkspace),
    perKey: share(limits.perKey),
    // Two pages of a customer may be in one thread.
    perLink: Math.max(2, share(PER_LINK)),
  };
}

/** Links have this share of the streams of a workspace: customers leave the workspace its own. */
const SHARE_OF_LINKS = 0.5;

/** Seconds. */
const RETRY_AFTER = '10';

/** Counts a stream, until the returned function is called; throws a `Problem` at a limit. */
export function watchLimit({ total, perWorkspace, perKey, perLink }: WatchLimits) {
  const counts = new Map<string, number>();

  function add(key: string, count: number): void {
    const sum = (counts.get(key) ?? 0) + count;
    if (sum === 0) counts.delete(key);
    else counts.set(key, sum);
  }

  return ({ workspaceId, actor, session }: Pick<Principal, 'workspaceId' | 'actor' | 'session'>): (() => void) => {
    const own = [{ key: `${workspaceId} ${actor}`, limit: perKey, of: 'The root key' }];
    const ofLinks = [
      { key: `links of ${workspaceId}`, limit: Math.ceil(perWorkspace * SHARE_OF_LINKS), of: 'The workspace' },
      { key: actor, limit: Math.min(perKey, perLink), of: 'The set-up link' },
    ];
    const bounds = [
      { key: '', limit: total, of: 'The server' },
      { key: workspaceId, limit: perWorkspace, of: 'The workspace' },
      ...(session === undefined ? own : ofLinks),
    ];
    for (const { key, limit, of } of bounds) {
      if ((counts.get(key) ?? 0) < limit) continue;
      const detail = `${of} has as many open streams of domains.watchDomain as its limit allows. Close some, or try again after the time in Retry-After.`;
      throw new Problem('limits/too_many_watchers', { detail, headers: { 'Retry-After': RETRY_AFTER } });
    }
    for (const { key } of bounds) add(key, 1);
    return () => {
      for (const { key } of bounds) add(key, -1);
    };
  };
}
