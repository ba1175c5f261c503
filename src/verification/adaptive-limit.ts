/** How many checks may be under way. */
export interface Room {
  /** For how many more there is room, beside those that are under way. */
  left(underWay: number): number;
  /** Learns how late the event loop was, in milliseconds. */
  learn(latenessMs: number): void;
}

/** How late the event loop may be, which answers requests too. */
const LATEST_MS = 10;
const LEAST = 10;
const FIRST = 100;
const GROWTH = 10;
const SHRINKAGE = 0.7;

/**
 * Room for as many checks as `capacity`, and for fewer while the event loop is late: then it is their work, and not the nameservers, that
 * they wait for, and more of them would only keep requests from their answers. Grows by steps, and shrinks by a part.
 */
export function createRoom(capacity: number): Room {
  let most = Math.min(capacity, FIRST);
  return {
    left: (underWay) => most - underWay,
    learn(latenessMs) {
      const next = latenessMs > LATEST_MS ? Math.max(LEAST, Math.ceil(most * SHRINKAGE)) : most + GROWTH;
      most = Math.min(capacity, next);
    },
  };
}
