import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import { addChunk, type ChunkCounts, type HourUsage, type UsageStore, type UsageWrite } from '../store/store.ts';

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
  store: Pick<UsageStore, 'addUsage'>;
  /** Takes what the threads have counted. */
  take(): Promise<readonly HourUsage[]>;
  /** A new id for each process. */
  writer: string;
  log: Pick<Log, 'warn'>;
  flushMs?: number | undefined;
  mostKept?: number;
}

const FLUSH_MS = 60_000;
/** Chunks of one write: other writes run between two. */
const CHUNKS_AT_ONCE = 16;
/** Hours of chunks that are kept while the store is down, of 10 KB each. */
const MOST_KEPT = 5000;
const FAILED = 'usage could not be written; retrying in a minute';

export function createUsageWriter({
  store,
  take,
  writer,
  log,
  flushMs = FLUSH_MS,
  mostKept = MOST_KEPT,
}: UsageWriterDeps): UsageWriter {
  const kept = new Map<number, Map<number, ChunkCounts>>();
  let sequence = 0;
  /** A write that may or may not have happened: repeated as it is, so that nothing counts twice. */
  let unsure: UsageWrite | null = null;
  let flushed = Promise.resolve();

  function add(usage: readonly HourUsage[]): void {
    let size = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
    let dropped = 0;
    for (const { hour, chunks } of usage) {
      const ofHour = kept.get(hour) ?? new Map<number, ChunkCounts>();
      kept.set(hour, ofHour);
      for (const [chunk, counts] of chunks) {
        const before = ofHour.get(chunk);
        if (before !== undefined) addChunk(before, counts);
        else if (size < mostKept) {
          ofHour.set(chunk, counts);
          size += 1;
        } else dropped += 1;
      }
    }
    if (dropped > 0) log.warn({ chunks: dropped }, 'usage is not counted: too much waits for the store, which is down');
  }

  /** One at a time, since the store takes the writes of a writer in order only. */
  function flush(): Promise<void> {
    flushed = flushed.then(flushNow, flushNow);
    return flushed;
  }

  async function flushNow(): Promise<void> {
    add(await take());
    if (unsure !== null) await write(unsure);
    for (const [hour, chunks] of kept) {
      while (chunks.size > 0) {
        const some = new Map([...chunks].slice(0, CHUNKS_AT_ONCE));
        for (const chunk of some.keys()) chunks.delete(chunk);
        sequence += 1;
        await write({ writer, sequence, hour, chunks: some });
      }
      kept.delete(hour);
    }
  }

  async function write(usage: UsageWrite): Promise<void> {
    unsure = usage;
    await store.addUsage(usage);
    unsure = null;
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
