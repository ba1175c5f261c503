import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { StaleCache } from '../../cache/stale-cache.ts';
import type { Route } from '../../store/contract/store.ts';

/**
 * Requests and tunnels under way, by name. When a name is taken over or deleted, what is under way for it ends: a WebSocket could otherwise go
 * on for days. A new deployment ends nothing.
 */
export interface UnderWay {
  /** Returns what to call once it has ended by itself. */
  enter(route: Pick<Route, 'hostname' | 'environmentId'>, cut: () => void): () => void;
}

interface Held {
  environmentId: string;
  cut(): void;
}

/** A store that has not said what is there now is asked again after so long. */
const AGAIN_MS = 1000;

export function trackUnderWay(
  changes: Pick<ChangeFeed, 'subscribe'>,
  routes: Pick<StaleCache<Route>, 'load' | 'get'>,
  againMs = AGAIN_MS,
): UnderWay {
  const byName = new Map<string, Set<Held>>();
  /** Names that are looked at again in a moment. */
  const unsure = new Set<string>();

  changes.subscribe((change) => {
    if (change === null) void reviewAll();
    else if (change.kind === 'route') void review(change.key);
  });

  async function reviewAll(): Promise<void> {
    // One after another: the store is not to be stormed.
    for (const hostname of [...byName.keys()]) await review(hostname);
  }

  async function review(hostname: string): Promise<void> {
    if (!byName.has(hostname)) return;
    await routes.load(hostname).catch(() => {});
    const route = routes.get(hostname);
    if (route === undefined) {
      // Nobody knows yet; until then it goes on, as names do that are served meanwhile.
      if (!unsure.has(hostname)) setTimeout(() => again(hostname), againMs).unref();
      unsure.add(hostname);
      return;
    }
    for (const { environmentId, cut } of byName.get(hostname) ?? []) if (route?.environmentId !== environmentId) cut();
  }

  function again(hostname: string): void {
    unsure.delete(hostname);
    void review(hostname);
  }

  return {
    enter({ hostname, environmentId }, cut) {
      const held = { environmentId, cut };
      const those = byName.get(hostname) ?? new Set();
      byName.set(hostname, those.add(held));
      // It may have changed since the route was found.
      if (!unsure.has(hostname) && routes.get(hostname)?.environmentId !== environmentId) void review(hostname);
      return () => {
        those.delete(held);
        if (those.size === 0 && byName.get(hostname) === those) byName.delete(hostname);
      };
    },
  };
}
