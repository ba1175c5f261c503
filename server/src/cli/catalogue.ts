import { parseGrant } from '../access/permissions.ts';
import type { RequiredPermission } from '../api/docs/permission-table.ts';
import { nearest } from '../domain/nearest.ts';
import { CliError, EXIT } from './cli-error.ts';
import { printable } from './output/output.ts';

/** Names that the API defines, for checking what was typed. */
interface Catalogue {
  /** `domains.createDomain`, … */
  operations: string[];
  permissions: RequiredPermission[];
}

/** Imports the API's code on demand: commands that do not need it start faster. */
export async function loadCatalogue(): Promise<Catalogue> {
  const { openOperations, operations } = await import('../api/operations.ts');
  const { requiredPermissions } = await import('../api/docs/permission-table.ts');
  return {
    operations: [...operations, ...openOperations].map(({ name }) => name),
    permissions: requiredPermissions(),
  };
}

/**
 * Throws `CliError` for permissions that no operation requires. That there are none at all is said on standard error.
 */
export async function requirePermissions(
  holder: 'key' | 'token' | 'session',
  granted: readonly string[],
): Promise<void> {
  if (granted.length === 0)
    process.stderr.write(`nameplate: this ${holder} allows nothing, because it has no permission; use --permission.\n`);
  const problems = permissionProblems(granted, (await loadCatalogue()).permissions);
  if (problems.length === 0) return;
  const table = 'docs/reference/permissions.md lists all permissions, and /docs of the server that of each operation.';
  throw new CliError([...problems, `No ${holder} was created. ${table}`].join('\n'), { exitCode: EXIT.usage });
}

/** Explains what is wrong with permissions, one line for each. */
export function permissionProblems(granted: readonly string[], required: readonly RequiredPermission[]): string[] {
  return granted.flatMap((permission) => problemOf(permission, required) ?? []);
}

function problemOf(permission: string, required: readonly RequiredPermission[]): string | null {
  const quoted = `"${printable(permission)}"`;
  const grant = parseGrant(permission);
  if (grant === null) return `${quoted} is not a permission. Example: environment.*.read_domain`;
  // The specification has the other form, too; no operation requires it yet.
  if (grant.form === 'resource') return null;
  const found = required.find(({ resource, action }) => resource === grant.resource && action === grant.action);
  if (found === undefined) {
    const meant = nearest(onAll(grant), required.map(onAll))?.replace('*', grant.id);
    return `No operation requires ${quoted}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
  }
  if (grant.id === '*' || found.onOne.length > 0) return null;
  return `No operation requires ${quoted}: it is granted on all, as ${onAll(grant)}.`;
}

function onAll({ resource, action }: { resource: string; action: string }): string {
  return `${resource}.*.${action}`;
}
