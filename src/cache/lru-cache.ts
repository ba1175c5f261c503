/**
 * A map that remembers what was used last: at most `capacity` entries, at least the half of them that was used most recently. Forgetting is
 * done a half at a time, because taking the eldest out of a large Map one by one costs a walk each.
 */
export interface Recent<Value> extends Iterable<[string, Value]> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
  /** Entries kept; one that was used again may count twice. */
  size(): number;
}

export function recentMap<Value>(capacity: number): Recent<Value> {
  const half = Math.max(1, Math.floor(capacity / 2));
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  function set(key: string, value: Value): void {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    clear() {
      young.clear();
      old.clear();
    },
    size: () => young.size + old.size,
    *[Symbol.iterator]() {
      yield* old;
      yield* young;
    },
  };
}
