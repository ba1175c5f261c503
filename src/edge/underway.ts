import type { News } from '../store/changes.ts';
import type { Route } from '../store/store.ts';
import type { Known } from './known.ts';

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

export function trackUnderWay(changes: Pick<News, 'onChange'>, routes: Pick<Known<Route>, 'find'>): UnderWay {
  const byName = new Map<string, Set<Held>>();

  changes.onChange((change) => {
    if (change === null) void reviewAll();
    else if (change.kind === 'route') void review(change.key);
  });

  async function reviewAll(): Promise<void> {
    // One after another: the store is not to be stormed.
    for (const hostname of [...byName.keys()]) await review(hostname);
  }

  async function review(hostname: string): Promise<void> {
    if (!byName.has(hostname)) return;
    const route = await routes.find(hostname).catch(() => undefined);
    // Nobody knows; it goes on as names do that are served meanwhile.
    if (route === undefined) return;
    for (const { environmentId, cut } of byName.get(hostname) ?? []) if (route?.environmentId !== environmentId) cut();
  }

  return {
    enter({ hostname, environmentId }, cut) {
      const held = { environmentId, cut };
      const those = byName.get(hostname) ?? new Set();
      byName.set(hostname, those.add(held));
      return () => {
        those.delete(held);
        if (those.size === 0 && byName.get(hostname) === those) byName.delete(hostname);
      };
    },
  };
}
