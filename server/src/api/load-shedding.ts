import { Problem } from './errors.ts';

/** Refuses requests that would wait too long, before they cost anything. */
export interface LoadShedder {
  /** Throws a `Problem` while the process is overloaded. */
  admit(): void;
  /** Runs admitted work, which counts as load until it ends. */
  run<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

interface LoadLimits {
  /** Most requests in flight; fewer than the writes that may queue in the store. */
  inFlight: number;
  /** How late timers may fire. */
  eventLoopDelayMs: number;
}

export const LOAD_LIMITS: LoadLimits = { inFlight: 2000, eventLoopDelayMs: 1000 };
const SAMPLE_MS = 250;

/** `now`: a monotonic clock, in ms. */
export function createLoadShedder(limits: Partial<LoadLimits> = {}, now = () => performance.now()): LoadShedder {
  const { inFlight, eventLoopDelayMs } = { ...LOAD_LIMITS, ...limits };
  let running = 0;
  let lateSamples = 0;
  let sampledAt = now();
  const timer = setInterval(() => {
    const late = now() - sampledAt - SAMPLE_MS > eventLoopDelayMs;
    // A single late sample may be a machine that was suspended.
    lateSamples = late ? lateSamples + 1 : 0;
    sampledAt = now();
  }, SAMPLE_MS).unref();

  return {
    admit() {
      if (running < inFlight && lateSamples < 2) return;
      throw new Problem('limits/overloaded', { headers: { 'Retry-After': '1' } });
    },
    async run(work) {
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
      }
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * The part of a process's limit that one of its threads has. The system spreads connections evenly over the threads.
 */
export function shareOf(limit: number, threads: number): number {
  return Math.max(1, Math.floor(limit / threads));
}
