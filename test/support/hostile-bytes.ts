/** Random choices that are the same for the same seed (mulberry32). */
export interface Random {
  /** 0 to `below` − 1. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  bytes(length: number): Buffer;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
