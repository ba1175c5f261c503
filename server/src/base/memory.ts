import { getHeapStatistics } from 'node:v8';

const AFTER_MS = 1000;
const EVERY_MS = 10_000;
/** Share of its time that an idle thread works at most. */
const IDLE = 0.05;
/** A heap that has grown by less is left alone. */
const GROWTH_BYTES = 16 * 1024 * 1024;

const heapBytes = () => getHeapStatistics().total_heap_size;

/** Collects everything: of Node's ways the only one that gives memory back at once. Undefined without Node's `--expose-gc`, which `bin/nameplate` sets. */
const { gc } = globalThis;
const collect = gc && (() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }));

/** In a second, gives back what this thread no longer uses: V8 keeps the heap as large as it was, and would shrink it only under other load. */
export function releaseMemorySoon(): void {
  if (collect !== undefined) setTimeout(collect, AFTER_MS).unref();
}

/** Gives back in a second what the start of this thread has left behind, and later what load has: once the thread has been idle for ten seconds. */
export function releaseMemoryWhenIdle(): void {
  if (collect === undefined) return;
  let leftBytes = 0;
  let before = performance.eventLoopUtilization();
  const release = () => {
    collect();
    leftBytes = heapBytes();
  };
  const check = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization < IDLE && heapBytes() > leftBytes + GROWTH_BYTES) release();
  };
  setTimeout(release, AFTER_MS).unref();
  setInterval(check, EVERY_MS).unref();
}
