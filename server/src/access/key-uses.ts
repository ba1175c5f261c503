import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import type { AccessStore } from '../store/store.ts';
import type { Principal } from './root-key-cache.ts';

interface KeyUsesDeps {
  store: Pick<AccessStore, 'saveKeyUses'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  flushMs?: number;
}

/** When root keys were last used, coarsely: a key costs one row an hour in each thread, however many its requests. */
export interface KeyUses {
  note(principal: Principal): void;
  /** Saves unsaved uses in one write. */
  flush(): Promise<void>;
  /** Flushes once more; never rejects. */
  stop(): Promise<void>;
}

export const KEY_USE_MS = 3_600_000;
const FLUSH_MS = 60_000;
const FAILED = 'when root keys were last used could not be saved; retrying in a minute';

export function createKeyUses({ store, clock, log, flushMs = FLUSH_MS }: KeyUsesDeps): KeyUses {
  /** When each key was last noted, Unix ms: one use an hour is saved. */
  const noted = new Map<string, number>();
  let unsaved = new Map<string, number>();

  function note({ kind, actor }: Principal): void {
    if (kind !== 'root_key') return;
    const now = clock.now();
    const before = noted.get(actor);
    if (before !== undefined && now - before < KEY_USE_MS && now >= before) return;
    noted.set(actor, now);
    unsaved.set(actor, now);
  }

  async function flush(): Promise<void> {
    const uses = Array.from(unsaved, ([keyId, at]) => ({ keyId, at }));
    const now = clock.now();
    // A key that is no longer used is forgotten.
    for (const [keyId, at] of noted) if (now - at >= KEY_USE_MS) noted.delete(keyId);
    if (uses.length === 0) return;
    const saving = unsaved;
    unsaved = new Map();
    try {
      await store.saveKeyUses(uses);
    } catch (error) {
      unsaved = new Map([...saving, ...unsaved]);
      throw error;
    }
  }

  const flushing = repeat(flush, { everyMs: flushMs, message: FAILED, log });
  return {
    note,
    flush,
    async stop() {
      await flushing.stop();
      await flush().catch((err: unknown) => log.warn({ err }, 'when root keys were last used could not be saved'));
    },
  };
}
