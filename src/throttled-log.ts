import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Logs a warning, at most once in a while for each `key` (unless given, the message). Never throws. */
export type ThrottledWarn = (message: string, fields: Record<string, unknown>, key?: string) => void;

const KEYS = 1000;

/** A line says how many like it were suppressed before. */
export function throttledWarn(log: Pick<Log, 'warn'>, clock: Clock, everyMs = 10_000): ThrottledWarn {
  const logged = new LRUCache<string, { at: number; suppressed: number }>({ max: KEYS });
  return (message, fields, key = message) => {
    const now = clock.now();
    const last = logged.get(key);
    if (last !== undefined && now >= last.at && now - last.at < everyMs) {
      last.suppressed += 1;
      return;
    }
    logged.set(key, { at: now, suppressed: 0 });
    log.warn(last?.suppressed ? { ...fields, suppressed: last.suppressed } : fields, message);
  };
}
