import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import { MOST_NUMBERED, type UsageCounts, type UsageStore, type UsageWrite } from '../store/store.ts';
import type { HourUsage } from './usage-counter.ts';

/** Writes the usage that all edge threads of a process have counted. */
export interface UsageWriter {
  /** Takes the counts of a thread that ends. */
  add(usage: readonly HourUsage[]): void;
  /** Writes what was counted so far. A write that fails is kept, and repeated by the next call. */
  flush(): Promise<void>;
  /** Flushes once more; never rejects. */
  stop(): Promise<void>;
}

interface UsageWriterDeps {
  store: Pick<UsageStore, 'numberUsageDomains' | 'addUsage'>;
  /** Takes what the threads have counted. */
  take(): Promise<readonly HourUsage[]>;
  /** A new id for each process. */
  writer: string;
  log: Pick<Log, 'warn'>;
  flushMs?: number | undefined;
  mostKept?: number;
}

const FLUSH_MS = 60_000;
/** Domains of one write: other writes run between two. */
const DOMAINS_AT_ONCE = 2000;
/** Hours of domains that are kept while the store is down. */
const MOST_KEPT = 500_000;
const FAILED = 'usage could not be written; retrying in a minute';

export function createUsageWriter({
  store,
  take,
  writer,
  log,
  flushMs = FLUSH_MS,
  mostKept = MOST_KEPT,
}: UsageWriterDeps): UsageWriter {
  const kept = new Map<number, Map<string, UsageCounts>>();
  const numbers = new Map<string, number>();
  let sequence = 0;
  /** A write that may or may not have happened: repeated as it is, so that nothing counts twice. */
  let unsure: UsageWrite | null = null;
  let flushed = Promise.resolve();

  function add(usage: readonly HourUsage[]): void {
    let size = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
    let dropped = 0;
    for (const { hour, domains } of usage) {
      const ofHour = kept.get(hour) ?? new Map<string, UsageCounts>();
      kept.set(hour, ofHour);
      for (const [id, counts] of domains) {
        const before = ofHour.get(id);
        if (before !== undefined) addTo(before, counts);
        else if (size < mostKept) {
          ofHour.set(id, counts);
          size += 1;
        } else dropped += counts.requests;
      }
    }
    if (dropped > 0)
      log.warn({ requests: dropped }, 'usage is not counted: too much waits for the store, which is down');
  }

  /** One at a time, since the store takes the writes of a writer in order only. */
  function flush(): Promise<void> {
    flushed = flushed.then(flushNow, flushNow);
    return flushed;
  }

  async function flushNow(): Promise<void> {
    add(await take());
    if (unsure !== null) await write(unsure);
    for (const [hour, domains] of kept) {
      await numberAll([...domains.keys()].filter((id) => !numbers.has(id)));
      const ids = [...domains.keys()].filter((id) => numbers.has(id)).sort((a, b) => numberOf(a) - numberOf(b));
      for (let at = 0; at < ids.length; at += DOMAINS_AT_ONCE) {
        const some = ids.slice(at, at + DOMAINS_AT_ONCE);
        const counts = some.flatMap((id) => domains.get(id) ?? []);
        for (const id of some) domains.delete(id);
        sequence += 1;
        await write({ writer, sequence, hour, domains: some.map(numberOf), counts });
      }
      if (domains.size === 0) kept.delete(hour);
    }
  }

  async function write(usage: UsageWrite): Promise<void> {
    unsure = usage;
    await store.addUsage(usage);
    unsure = null;
  }

  /** A domain that the store does not know had no usage before, and was deleted: nobody can ask for it. */
  async function numberAll(ids: readonly string[]): Promise<void> {
    const sorted = ids.toSorted();
    for (let at = 0; at < sorted.length; at += MOST_NUMBERED) {
      const some = sorted.slice(at, at + MOST_NUMBERED);
      const found = await store.numberUsageDomains(some);
      some.forEach((id, i) => {
        const number = found[i] ?? null;
        if (number !== null) numbers.set(id, number);
        else for (const domains of kept.values()) domains.delete(id);
      });
    }
  }

  function numberOf(id: string): number {
    return numbers.get(id) ?? 0;
  }

  const flushing = repeat(flush, { everyMs: flushMs, message: FAILED, log });
  return {
    add,
    flush,
    async stop() {
      await flushing.stop();
      await flush().catch((err: unknown) => log.warn({ err }, 'usage of the last minute could not be written'));
    },
  };
}

function addTo(to: UsageCounts, counts: UsageCounts): void {
  for (const name of Object.keys(to) as (keyof UsageCounts)[]) to[name] += counts[name];
}
