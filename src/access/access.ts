import type { News } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { AccessStore } from '../store/contract/store.ts';
import type { Access } from './authenticate.ts';
import { tokenReader } from './dashboard-token.ts';
import { countAttempts } from './failure-limit.ts';
import { cachedPrincipals } from './principal-cache.ts';
import { cachedWorkspaces } from './workspace-cache.ts';

/** What authentication works with, on a store. Without news of changes nothing is remembered. */
export function accessOn(store: AccessStore, clock: Clock, changes?: News): Access {
  return {
    principals: cachedPrincipals(store, changes),
    tokens: tokenReader(store, clock, changes),
    workspaces: cachedWorkspaces(store, changes),
    attempts: countAttempts(clock),
    clock,
  };
}
