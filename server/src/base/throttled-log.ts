import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Logs a line, by default a warning, at most once in a while for each `key` (by default the message). Never throws. */
export type ThrottledWarn = (message: string, fields: Record<string, unknown>, key?: string) => void;

const KEYS = 1000;

/** A line has the number of lines like it that were suppressed before. */
export function throttledWarn<L extends 'info' | 'warn' | 'error' = 'warn'>(
  log: Pick<Log, L>,
  clock: Clock,
  everyMs = 10_000,
  level: L = 'warn' as L,
): ThrottledWarn {
  const logged = new LRUCache<string, { at: number; suppressed: number }>({ max: KEYS });
  return (message, fields, key = message) => {
    const now = clock.now();
    const last = logged.get(key);
    if (last !== undefined && now >= last.at && now - last.at < everyMs) {
      last.suppressed += 1;
      return;
    }
    logged.set(key, { at: now, suppressed: 0 });
    log[level](last?.suppressed ? { ...fields, suppressed: last.suppressed } : fields, message);
  };
}
