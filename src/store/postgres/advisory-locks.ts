import { createHash } from 'node:crypto';

/** The keys of the advisory locks with these names, in the one order in which every transaction takes them, so that none deadlock. */
export function lockKeys(names: readonly string[]): bigint[] {
  return [...new Set(names.map(lockKey))].sort((a, b) => (a < b ? -1 : 1));
}

/** A hash, so that it is unlikely to be a key that another program uses in the same database. */
export function lockKey(name: string): bigint {
  return createHash('sha256').update(`nameplate ${name}`).digest().readBigInt64BE();
}
