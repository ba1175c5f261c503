import { Problem } from './errors.ts';

/** How much there is to do, so that what would wait too long is refused before it costs anything. */
export interface Load {
  /** Throws a `Problem` while there is more to do than can be answered in time. */
  admit(): void;
  /** A piece of work has begun; each one also ends. */
  begin(): void;
  end(): void;
  stop(): void;
}

export interface LoadBounds {
  /** Most requests that may be worked on at once; fewer than the writes that may wait in the store. */
  inProgress: number;
  /** How late the event loop may be. */
  latenessMs: number;
}

const BOUNDS: LoadBounds = { inProgress: 2000, latenessMs: 1000 };
const SAMPLE_MS = 250;
const RETRY_AFTER_SECONDS = 1;

/** Measures this process. `now`: milliseconds of a clock that nobody sets. */
export function measureLoad(bounds: Partial<LoadBounds> = {}, now = () => performance.now()): Load {
  const { inProgress, latenessMs } = { ...BOUNDS, ...bounds };
  let working = 0;
  let lateInARow = 0;
  let sampledAt = now();
  const timer = setInterval(() => {
    const late = now() - sampledAt - SAMPLE_MS > latenessMs;
    // Once may be anything, such as a machine that was asleep.
    lateInARow = late ? lateInARow + 1 : 0;
    sampledAt = now();
  }, SAMPLE_MS).unref();

  return {
    admit() {
      if (working < inProgress && lateInARow < 2) return;
      throw new Problem('limits/overloaded', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
    },
    begin() {
      working += 1;
    },
    end() {
      working -= 1;
    },
    stop: () => clearInterval(timer),
  };
}
