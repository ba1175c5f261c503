import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { type EdgeCacheLine, type FileOf, originLine, siteLine, writeEdgeCache } from './edge-cache-file.ts';
import type { WrittenFile } from './edge-cache-metrics.ts';
import type { ServedSealer } from './seal-served.ts';
import { isYoung, type ServedSites } from './served-sites.ts';

export interface WriteOptions {
  served: ServedSites;
  sealer: ServedSealer;
  file: FileOf;
  /** Resolves when the file that is there has been read. */
  loaded: Promise<unknown>;
  /** Names in the caches of each thread, the most recently served first. */
  recentNames(): Promise<readonly (readonly string[])[]>;
  onWritten(file: WrittenFile): void;
  clock: Clock;
  log: Log;
}

/** Writes to the file what was served. Failures are logged. */
export interface ServedWriter {
  /** What was served is not what the file says. */
  changed(): void;
  /** Begins to write if it is time. */
  writeIfDue(): void;
  /** Writes what has changed. */
  save(): Promise<void>;
  /** Nothing is written from now on: the file is another process's. */
  leave(): void;
  /** Writes what has changed; the threads may have ended already. */
  stop(): Promise<void>;
}

/** Between a change and the file, at least; and so long for each MB more, to spare the disk. */
const WRITE_MS = 5000;
const WRITE_MS_PER_MB = 2000;
/** When nothing has changed, so that the file grows no older. */
const REWRITE_MS = 3_600_000;
const RETRY_MS = 60_000;
const MB = 1024 * 1024;

export function createServedWriter(options: WriteOptions): ServedWriter {
  const { served, sealer, file, loaded, recentNames, onWritten, clock, log } = options;
  const { sites, origins } = served;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let writeAt = clock.now() + WRITE_MS;
  let isDirty = false;
  let isFailing = false;
  let hasThreads = true;
  let hasLeft = false;
  let writing: Promise<void> | undefined;

  function write(): Promise<void> {
    writing ??= writeFile().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function writeFile(): Promise<void> {
    // A file that was not read yet would be lost.
    await loaded;
    if (hasThreads) await touchRecent();
    if (hasLeft) return;
    isDirty = false;
    const confirmedAt = served.confirmedAt();
    try {
      const bytes = await writeEdgeCache(file, content(), confirmedAt);
      onWritten({ bytes, confirmedAt });
      writtenAt = confirmedAt;
      writeAt = clock.now() + WRITE_MS + (bytes / MB) * WRITE_MS_PER_MB;
      if (isFailing) log.info({ path: file.path }, 'the edge cache can be written again');
      isFailing = false;
    } catch (error) {
      isDirty = true;
      writeAt = clock.now() + RETRY_MS;
      const message = `the edge cache ${file.path} cannot be written; trying again every minute`;
      if (!isFailing) log.warn({ err: error }, message);
      isFailing = true;
    }
  }

  /** The least recent first. */
  async function touchRecent(): Promise<void> {
    const ranked = await recentNames().catch(() => []);
    const longest = Math.max(0, ...ranked.map(({ length }) => length));
    for (let rank = longest - 1; rank >= 0; rank -= 1)
      for (const { [rank]: name } of ranked) if (name !== undefined) sites.touch(name);
  }

  /** What may be served after a restart, the most recent first. */
  function* content(): Generator<EdgeCacheLine> {
    const now = clock.now();
    const entries = sites.entries();
    const environments = new Set(entries.map(([, { site }]) => site.environmentId));
    for (const [environment, origin] of origins.entries()) {
      const at = origins.confirmedAt(origin);
      if (environments.has(environment) && isYoung(at, now)) yield originLine(environment, origin, at);
    }
    // Under the first key: another one may be removed once the store has been rotated.
    const reseal = sealer.resealer();
    for (const [hostname, entry] of entries) {
      const at = sites.confirmedAt(entry);
      if (!isYoung(at, now)) continue;
      const { certificate } = entry;
      const sealed = certificate && reseal(hostname, certificate);
      if (certificate !== null && sealed === null) continue;
      entry.certificate = sealed;
      yield siteLine(entry, at);
    }
  }

  async function save(): Promise<void> {
    await writing;
    // Where the store has confirmed nothing, the file knows more.
    if (isDirty && !hasLeft && served.confirmedAt() > 0) await write();
  }

  return {
    changed() {
      isDirty = true;
    },
    writeIfDue() {
      const isDue = isDirty || clock.now() - writtenAt >= REWRITE_MS;
      if (isDue && !hasLeft && clock.now() >= writeAt) void write();
    },
    save,
    leave() {
      hasLeft = true;
    },
    stop() {
      hasThreads = false;
      return save();
    },
  };
}
