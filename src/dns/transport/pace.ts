import type { Clock } from '../../clock.ts';

/** Bounds what each address is asked, so that we are a burden to no nameserver, and a slow one holds up nobody else. */
export interface Pace {
  /**
   * Waits for a turn at the address; whoever has one must `leave`. False: the signal ended first, and there is no turn.
   */
  enter(address: string, signal: AbortSignal): Promise<boolean>;
  leave(address: string): void;
  /** Whether a turn could begin without waiting for somebody to leave. */
  hasRoom(address: string): boolean;
}

export interface PaceLimits {
  /** Turns at one address at the same time. */
  perAddressInFlight: number;
  /** Turns begun at one address in a second. */
  perAddressPerSecond: number;
}

interface Lane {
  inFlight: number;
  /** Those who wait for somebody to leave, in order. */
  queue: Set<() => void>;
  /** When the next turn may begin, Unix milliseconds. */
  nextAt: number;
}

/** Turns that were not taken during this time may be taken at once. */
const BURST_MS = 100;
/** Idle lanes are swept out whenever there are twice as many lanes as the last sweep left. */
const MIN_SWEEP = 1024;

export function pace({ perAddressInFlight, perAddressPerSecond }: PaceLimits, clock: Clock): Pace {
  const lanes = new Map<string, Lane>();
  const intervalMs = 1000 / perAddressPerSecond;
  let sweepAt = MIN_SWEEP;

  function laneOf(address: string): Lane {
    const present = lanes.get(address);
    if (present !== undefined) return present;
    if (lanes.size >= sweepAt) sweep();
    const lane: Lane = { inFlight: 0, queue: new Set(), nextAt: 0 };
    lanes.set(address, lane);
    return lane;
  }

  function sweep(): void {
    const now = clock.now();
    for (const [address, lane] of lanes) {
      if (lane.inFlight === 0 && lane.nextAt <= now) lanes.delete(address);
    }
    sweepAt = Math.max(MIN_SWEEP, 2 * lanes.size);
  }

  /** Books the next beginning; the milliseconds until then. */
  function book(lane: Lane): number {
    const now = clock.now();
    // Never further ahead than those in flight can have booked, whatever the clock did meanwhile.
    const ahead = Math.min(lane.nextAt, now + perAddressInFlight * intervalMs);
    const begin = Math.max(ahead, now - BURST_MS);
    lane.nextAt = begin + intervalMs;
    return begin - now;
  }

  function leave(address: string): void {
    const lane = laneOf(address);
    const [next] = lane.queue;
    if (next === undefined) {
      lane.inFlight--;
    } else {
      lane.queue.delete(next);
      next();
    }
  }

  return {
    async enter(address, signal) {
      const lane = laneOf(address);
      if (lane.inFlight < perAddressInFlight) lane.inFlight++;
      else if (!(await waitUntil(signal, (go) => queue(lane, go)))) return false;
      const waitMs = book(lane);
      if (waitMs <= 0 || (await waitUntil(signal, (go) => timer(waitMs, go)))) return true;
      leave(address);
      return false;
    },
    leave,
    hasRoom: (address) => (lanes.get(address)?.inFlight ?? 0) < perAddressInFlight,
  };
}

function queue(lane: Lane, go: () => void): () => void {
  lane.queue.add(go);
  return () => lane.queue.delete(go);
}

function timer(ms: number, go: () => void): () => void {
  const timeout = setTimeout(go, ms);
  return () => clearTimeout(timeout);
}

/** True when what `begin` began calls back; false, and it is cancelled, when the signal ends first. */
function waitUntil(signal: AbortSignal, begin: (go: () => void) => () => void): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      cancel();
      resolve(false);
    };
    const cancel = begin(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
