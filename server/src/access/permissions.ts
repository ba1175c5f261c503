/**
 * Permissions of a root key. Grants are compared character for character: `*` is no pattern, and matches only a grant
 * with a literal `*`. A grant on a parent gives nothing below it.
 */

/** The two forms of a grant (spec: Authentication, 4). */
type Grant =
  /** `environment.env_1.read_domain`; `id` may be `*`. */
  | { form: 'tuple'; resource: string; id: string; action: string }
  /** `<resource_name>/<resource>#<action>`. */
  | { form: 'resource'; name: string; resource: string; action: string };

const TUPLE = /^([a-z_]+)\.(\*|[a-zA-Z0-9_-]+)\.([a-z_]+)$/;
const RESOURCE = /^([^/#\s]+(?:\/[^/#\s]+)*)\/([^/#\s]+)#([a-z_]+)$/;

/** The pattern of a grant in either form. */
export const GRANT = `${TUPLE.source}|${RESOURCE.source}`;

/** Null for text that is not a grant. */
export function parseGrant(text: string): Grant | null {
  const [, resource, id, action] = TUPLE.exec(text) ?? [];
  if (resource !== undefined && id !== undefined && action !== undefined)
    return { form: 'tuple', resource, id, action };
  const [, name, named, does] = RESOURCE.exec(text) ?? [];
  if (name !== undefined && named !== undefined && does !== undefined) {
    return { form: 'resource', name, resource: named, action: does };
  }
  return null;
}

/** The permission that an operation requires: an action on one resource of a kind. */
export interface Permission {
  resource: 'project' | 'app' | 'environment' | 'webhook' | 'setup' | 'audit' | 'key' | 'token' | 'workspace';
  action: string;
}

/**
 * The grants that include the permission, of which one is enough. `onAll`: only one on all resources of its kind is.
 * `id`: of the resource; a placeholder unless given.
 */
export function sufficientGrants({ resource, action }: Permission, onAll = false, id = `<${resource}_id>`): string[] {
  const all = `${resource}.*.${action}`;
  return onAll ? [all] : [all, `${resource}.${id}.${action}`];
}

/** Whether the grants include the permission on all resources of its kind, or on the one with this id. */
export function permits(grants: ReadonlySet<string>, { resource, action }: Permission, id?: string): boolean {
  return grants.has(`${resource}.*.${action}`) || (id !== undefined && grants.has(`${resource}.${id}.${action}`));
}

/**
 * Whether the holder of the grants may give a grant to a key or token: only what it has. A grant on all resources of a
 * kind includes those on each; the other form is compared exactly. Nobody may give a text that is not a grant.
 */
export function mayGrant(grants: ReadonlySet<string>, wanted: string): boolean {
  const grant = parseGrant(wanted);
  if (grant === null) return false;
  return grants.has(wanted) || (grant.form === 'tuple' && grants.has(`${grant.resource}.*.${grant.action}`));
}

/** Whether the grants include the permission on any resource of its kind. `onAll`: it must be on all of them. */
export function permitsAny(grants: ReadonlySet<string>, permission: Permission, onAll = false): boolean {
  const ids = permittedIds(grants, permission);
  return ids === undefined || (!onAll && ids.size > 0);
}

/** Ids of the resources on which the grants include the permission; undefined: on all of their kind. */
export function permittedIds(grants: ReadonlySet<string>, permission: Permission): ReadonlySet<string> | undefined {
  if (permits(grants, permission)) return undefined;
  const { resource, action } = permission;
  const ids = new Set<string>();
  for (const grant of Array.from(grants, parseGrant)) {
    if (grant?.form === 'tuple' && grant.resource === resource && grant.action === action) ids.add(grant.id);
  }
  return ids;
}
