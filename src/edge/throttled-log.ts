import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Says in the log that something fails. `about`: what is the same when it fails again; `what`, unless given. Never throws. */
export type Report = (what: string, fields: Record<string, unknown>, about?: string) => void;

const EVERY_MS = 10_000;
const KINDS = 1000;

/** What fails over and over is said once in ten seconds, with how often it was not said since. */
export function reporting(log: Pick<Log, 'warn'>, clock: Clock): Report {
  const said = new LRUCache<string, { at: number; unsaid: number }>({ max: KINDS });
  return (what, fields, about = what) => {
    const now = clock.now();
    const last = said.get(about);
    if (last !== undefined && now >= last.at && now - last.at < EVERY_MS) {
      last.unsaid += 1;
      return;
    }
    said.set(about, { at: now, unsaid: 0 });
    log.warn(last?.unsaid ? { ...fields, unsaid: last.unsaid } : fields, what);
  };
}
