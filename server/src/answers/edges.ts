import type { EdgeAddress } from '../store/store.ts';

/** How often an edge reports its addresses, and how often they are read. */
export const HEARTBEAT_MS = 2000;
/** An edge that has not reported for so long is dead. */
const DEAD_MS = 8000;
/** Nobody leads customers to an edge that was gone for longer, though no other is alive. */
export const GONE_MS = 86_400_000;

/** When the last heartbeat of each address was seen to change, by the caller's clock. */
export type SeenEdges = ReadonlyMap<string, { beatAt: number; seenAt: number }>;

/**
 * Knowledge of the edges after another look. An edge is alive while its heartbeat changes: so clocks of other nodes
 * do not matter. `now`: ms, monotonic.
 */
export function seeEdges(before: SeenEdges, beats: readonly EdgeAddress[], now: number): SeenEdges {
  return new Map(
    beats.map(({ address, seenAt: beatAt }) => {
      const last = before.get(address);
      return [address, { beatAt, seenAt: last?.beatAt === beatAt ? last.seenAt : now }];
    }),
  );
}

/** The addresses to answer: those of edges that are alive; of all, where none is. */
export function aliveAddresses(edges: SeenEdges, now: number): string[] {
  const addresses = [...edges.keys()].sort();
  const alive = addresses.filter((address) => now - (edges.get(address)?.seenAt ?? 0) <= DEAD_MS);
  return alive.length > 0 ? alive : addresses;
}
