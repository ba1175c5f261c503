/**
 * Permissions of a root key. Grants are compared as they were written, character for character: `*` is a letter like any other,
 * and matches only the grant that was written with `*`. A grant on a parent gives nothing below it.
 */

/** The two written forms of a grant (spec: Authentication, 4). */
export type Grant =
  /** `environment.env_1.read_domain`; `id` may be `*`. */
  | { form: 'tuple'; resource: string; id: string; action: string }
  /** `<resource_name>/<resource>#<action>`. */
  | { form: 'resource'; name: string; resource: string; action: string };

/** Kinds of resource that the operations ask grants for. */
export type GrantedResource = 'project' | 'app' | 'environment';

const TUPLE = /^([a-z_]+)\.(\*|[a-zA-Z0-9_-]+)\.([a-z_]+)$/;
const RESOURCE = /^([^/#\s]+(?:\/[^/#\s]+)*)\/([^/#\s]+)#([a-z_]+)$/;

/** Reads a grant in either form; null when it has neither. */
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

/** What an operation asks for: an action on one resource of a kind. */
export interface Permission {
  resource: GrantedResource;
  action: string;
}

/** Whether the grants hold the permission: on all resources of its kind, or on the one with this id. Without an id only the former counts. */
export function permits(grants: ReadonlySet<string>, { resource, action }: Permission, id?: string): boolean {
  return grants.has(`${resource}.*.${action}`) || (id !== undefined && grants.has(`${resource}.${id}.${action}`));
}
