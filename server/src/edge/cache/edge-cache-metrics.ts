import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';

/** A file of the edge cache. */
export interface WrittenFile {
  bytes: number;
  /** When the store confirmed what is in it. */
  confirmedAt: number;
}

interface Watched {
  clock: Clock;
  entries(): number;
  /** Null: there is none yet. */
  written(): WrittenFile | null;
}

export function watchEdgeCache(registry: Registry, { clock, entries, written }: Watched): void {
  const gauge = (name: string, help: string, value: () => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const now = value();
        if (now === null) this.remove();
        else this.set(now);
      },
    });
  gauge('nameplate_edge_cache_entries', 'Names in the edge cache of this process.', entries);
  gauge('nameplate_edge_cache_bytes', 'Size of the file of the edge cache; absent: there is none yet.', () => {
    return written()?.bytes ?? null;
  });
  gauge(
    'nameplate_edge_cache_age_seconds',
    'Time since the store confirmed what is in the file of the edge cache; absent: there is none yet.',
    () => {
      const file = written();
      return file && Math.max(0, clock.now() - file.confirmedAt) / 1000;
    },
  );
}
