import { getHeapStatistics } from 'node:v8';

const AFTER_MS = 1000;
const EVERY_MS = 10_000;
/** Largest share of its time that an idle thread works: a collection stops it for up to 0.2 s. */
const IDLE = 0.01;
/** A heap that has grown by less is not collected. */
const GROWTH_BYTES = 16 * 1024 * 1024;

const heapBytes = () => getHeapStatistics().total_heap_size;

/**
 * Collects all garbage. Node has no other way to return memory at once. Undefined without Node's `--expose-gc`, which
 * `bin/nameplate` sets.
 */
const { gc } = globalThis;
const collect = gc && (() => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }));

/**
 * Returns unused memory of this thread to the system in a second: V8 keeps the heap as large as it was, and would
 * shrink it only under other load.
 */
export function releaseMemorySoon(): void {
  if (collect !== undefined) setTimeout(collect, AFTER_MS).unref();
}

/**
 * Returns memory to the system: in a second what the start of this thread has used, and later whenever the thread has
 * been idle for ten seconds and its heap has grown.
 */
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
