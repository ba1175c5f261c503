import { Problem, type ProblemCode } from './errors.ts';

/**
 * Returns a resource that exists and that the caller may see; otherwise throws the same `Problem`. It masks "forbidden" as "not found", so that
 * keys cannot be used to find out what exists (spec: Authentication, 6).
 */
export function masked<Resource>(
  found: Resource | null,
  isPermitted: (resource: Resource) => boolean,
  code: ProblemCode,
): Resource {
  if (found === null || !isPermitted(found)) throw new Problem(code);
  return found;
}
