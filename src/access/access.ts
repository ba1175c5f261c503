import type { Clock } from '../clock.ts';
import type { News } from '../store/changes.ts';
import type { AccessStore } from '../store/store.ts';
import { countAttempts } from './attempts.ts';
import type { Access } from './authenticate.ts';
import { cachedPrincipals } from './principals.ts';
import { tokenReader } from './token.ts';
import { cachedWorkspaces } from './workspaces.ts';

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
