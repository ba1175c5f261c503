import { nearest } from '../domain/nearest.ts';

/**
 * What is wrong with the names that limits are given for: a limit on an operation that does not exist would limit nothing. `*` is every
 * other operation. A clause without a final stop; null: nothing is wrong.
 */
export function unknownSubjects(names: readonly string[], operations: readonly string[]): string | null {
  const unknown = names.filter((name) => name !== '*' && !operations.includes(name));
  if (unknown.length === 0) return null;
  const clauses = unknown.map((name) => {
    const meant = nearest(name, operations);
    return `"${name}" is not an operation${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
  return clauses.join(', ');
}
