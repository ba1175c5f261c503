import { operations } from './api/operations.ts';
import { nearest } from './nearest.ts';

/** What is wrong with rate limits on these operations: a limit on one that does not exist would limit nothing. Null: nothing. */
export function unknownOperation(names: readonly string[]): string | null {
  const known = operations.map(({ name }) => name);
  const unknown = names.find((name) => name !== '*' && !known.includes(name));
  if (unknown === undefined) return null;
  const meant = nearest(unknown, known);
  return `"${unknown}" is not an operation.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}
