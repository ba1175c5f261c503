import { HEARTBEAT_MS } from '../answers/edges.ts';
import { repeat } from '../base/repeat.ts';
import type { Stoppable } from '../net/listen.ts';
import type { RoleDeps } from './roles.ts';

/** Reports this node's edge as alive, where our DNS servers answer with its addresses. Null: they do not. */
export function startEdgeHeartbeat({ config, store, clock, log }: Omit<RoleDeps, 'challengePort'>): Stoppable | null {
  const { roles, cnameZoneDelegated, edgeAddresses = [] } = config;
  if (!roles.includes('edge') || cnameZoneDelegated === 'off' || edgeAddresses.length === 0) return null;
  const message = 'the addresses of this edge could not be reported; DNS may leave them out until they are';
  return repeat(() => store.recordEdgeAddresses(edgeAddresses, clock.now()), { everyMs: HEARTBEAT_MS, message, log });
}
