import { Problem, type ProblemCode } from './errors.ts';

/**
 * What a request named, if it is there and the caller may know of it. Whichever of the two it lacks, the problem is the same one, so that
 * permissions cannot be used to discover what exists (spec: Authentication, 6).
 */
export function masked<Resource>(
  found: Resource | null,
  isPermitted: (resource: Resource) => boolean,
  code: ProblemCode,
): Resource {
  if (found === null || !isPermitted(found)) throw new Problem(code);
  return found;
}
