import { nearest } from '../domain/nearest.ts';

/** Reports rate limits on operations that do not exist, as a clause without a full stop; null when there are none. `*` is every other operation. */
export function unknownSubjects(names: readonly string[], operations: readonly string[]): string | null {
  const unknown = names.filter((name) => name !== '*' && !operations.includes(name));
  if (unknown.length === 0) return null;
  const clauses = unknown.map((name) => {
    const meant = nearest(name, operations);
    return `"${name}" is not an operation${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
  return clauses.join(', ');
}
