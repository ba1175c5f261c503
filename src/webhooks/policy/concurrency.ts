/** How many deliveries may be in flight. Pure. Each waits for its receiver, ten seconds if that is dead, so no webhook and no workspace may take all places. */

/** Most of one webhook. */
const MOST_OF_WEBHOOK = 100;
/** Of a webhook from which nothing is known yet, and of one whose receiver is dead. */
export const LEAST_OF_WEBHOOK = 1;

/** Of all places, those that workspaces may have beyond one each: one that has nothing in flight finds a place, whatever a hundred others of 500 do. */
const SHARED = 0.8;

/**
 * A workspace may have this share of the shared places that are free: with n greedy ones, each gets 1/(n + 2) of them, and twice that stays free for others.
 * A claim takes as many at most, so that the next one sees less.
 */
const SHARE_OF_FREE = 0.5;

/** What an attempt says about its receiver: it answered; it asked for less, or gave no answer. */
export type Load = 'answered' | 'overloaded';

/**
 * The limit of a webhook after an attempt: additive increase, multiplicative decrease. One that answers gets twice as many with each round trip; a dead one has
 * one delivery in flight at a time.
 */
export function nextLimitOfWebhook(limit: number, load: Load): number {
  if (load === 'answered') return Math.min(limit + 1, MOST_OF_WEBHOOK);
  return Math.max(Math.floor(limit / 2), LEAST_OF_WEBHOOK);
}

/** How many of the shared places are free, of so many `places` in all. `taken`: by how many deliveries. `workspaces`: of how many. */
export function freeShared(places: number, taken: number, workspaces: number): number {
  return Math.max(0, Math.floor(places * SHARED) - (taken - workspaces));
}

/** How many deliveries of one workspace may be in flight while so many of the shared places are free. */
export function limitOfWorkspace(free: number): number {
  return 1 + Math.floor(free * SHARE_OF_FREE);
}

/** How many of one webhook, by what its receiver takes and what its workspace may have: half of that, so that another webhook of it has some, too. */
export function limitOfWebhook(limit: number, ofWorkspace: number): number {
  return Math.min(limit, Math.ceil(ofWorkspace / 2));
}

/** How many of the shared places one claim may take while so many of them are free. */
export function limitOfClaim(free: number): number {
  return Math.ceil(free * SHARE_OF_FREE);
}
