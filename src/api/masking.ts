import { type Permission, sufficientGrants } from '../access/permissions.ts';
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

/**
 * The refusal of an operation on the workspace itself to a key without its permission. The workspace is no secret to its key, so the refusal names
 * the permission. `onAll`: as in the operation.
 */
export function lacksPermission(permission: Permission, onAll?: true): Problem {
  const grants = sufficientGrants(permission, onAll).map((grant) => `"${grant}"`);
  return new Problem('authorization/insufficient_permissions', {
    detail: `The root key lacks the permission for this operation: ${grants.join(' or ')}.`,
  });
}
