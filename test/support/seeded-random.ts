import { randomInt } from 'node:crypto';

/** Choices that a seed decides (mulberry32), so that a failure can be tried again. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** A whole number from 0 to `bound` − 1. */
  below(bound: number): number;
  chance(probability: number): boolean;
  /** One of the items; undefined where there are none. */
  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
  bytes(length: number): Buffer;
}

export function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    between: (from, to) => from + below(to - from + 1),
    below,
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}

/** The seed of a run: CRASH_SEED where a failure is tried again, any otherwise. It is printed. */
export function chooseSeed(): number {
  const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31));
  console.log(`CRASH_SEED=${seed}`);
  return seed;
}
