import { PRESETS } from '../../../../words/presets.ts';
import type { Permission } from '../../access/permissions.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations.ts';

/** A permission that operations require, by `<resource>.<action>`. */
export interface RequiredPermission extends Permission {
  /** Operations that a grant on one resource permits for that resource, and one on all (`*`) for each of them. */
  onOne: string[];
  /** Operations that only a grant on all resources of the kind permits. */
  onAll: string[];
}

/** The permissions that operations require, each once, in the order of the documentation. */
export function requiredPermissions(of: readonly Operation[] = operations): RequiredPermission[] {
  const found = new Map<string, RequiredPermission>();
  const rowOf = (permission: Permission) => {
    const key = `${permission.resource}.${permission.action}`;
    const row = found.get(key) ?? { ...permission, onOne: [], onAll: [] };
    found.set(key, row);
    return row;
  };
  for (const { name, permission, onAll, needs = [] } of of) {
    rowOf(permission)[onAll === undefined ? 'onOne' : 'onAll'].push(name);
    for (const need of needs) rowOf(need.permission);
  }
  return [...found.values()];
}

const PRESET_SECTION = [
  '## Presets',
  '',
  'A preset is a named set of permissions. `nameplate keys create --preset`, `keys.createKey` and `workspaces.createWorkspace` accept it.',
  '`nameplate init` creates a key with `platform`. If a later release changes a preset, existing keys keep their permissions.',
  '',
  '| Preset | For | Permissions |',
  '|---|---|---|',
  `| \`read-only\` | Seeing everything and changing nothing | ${listed(PRESETS['read-only'])} |`,
  `| \`support\` | Helping customers with their domains | ${listed(PRESETS.support)} |`,
  `| \`platform\` | The backend of a platform | ${listed(PRESETS.platform)} |`,
  `| \`owner\` | Running a workspace from the dashboard | ${listed(PRESETS.owner)} |`,
  '',
  '## Granting permissions',
  '',
  'A key can grant only permissions that it has: to other keys, to dashboard tokens, and to the first key of a new workspace. See',
  '[Keys](../guides/keys.md). A permission on all resources of a kind includes the same permission on one of them. So a key with',
  '`environment.*.read_domain` can grant `environment.env_….read_domain`, but not the reverse. Keys can also have permissions',
  'of the form `<resource_name>/<resource>#<action>`. No operation needs one, and each includes only itself.',
  '',
  'Only the preset `owner` includes `key.*.create_key`, `key.*.rotate_key` and `key.*.revoke_key`. No preset includes a permission on',
  'workspaces: the operator grants it with `nameplate keys create --permission`.',
  '',
];

/** The text of docs/reference/permissions.md. */
export function renderPermissions(): string {
  return [
    '# Permissions',
    '',
    '<!-- Generated from the operations in server/src/api/ by "npm run generate". Do not edit. -->',
    '',
    'A root key or a dashboard token can do only what its permissions name, and only in its own workspace. This creates a key with two',
    'permissions:',
    '',
    '```sh',
    "nameplate keys create --workspace ws_… --permission 'environment.*.read_domain' --permission 'environment.env_….create_domain'",
    '```',
    '',
    'The `*` stands for all resources of the kind, present and future. With an id in its place, as in `environment.env_….read_domain`, the',
    'permission covers that resource alone. The operations in the last column need the `*`: they create a resource, or concern all of a kind.',
    '',
    'Apart from that, no permission includes another. A permission on an app gives nothing in its environments, and a permission to change',
    'something does not allow you to read it. `nameplate keys create` and `nameplate tokens create` refuse a permission that is not in this table.',
    '',
    '| Permission | Operations, with `*` or an id | Operations, with `*` only |',
    '|---|---|---|',
    ...requiredPermissions().map(
      ({ resource, action, onOne, onAll }) =>
        `| \`${resource}.*.${action}\` | ${onOne.length + onAll.length === 0 ? '[in addition to another permission](#additional-permissions)' : listed(onOne)} | ${listed(onAll)} |`,
    ),
    '',
    '## Additional permissions',
    '',
    'These operations need a second permission, with `*` or the id of the resource. The last column says where and, unless always, when:',
    '',
    '| Operation | Also needs | Where, and when |',
    '|---|---|---|',
    ...operations.flatMap(({ name, needs = [] }) =>
      needs.map(
        ({ permission: { resource, action }, where }) => `| \`${name}\` | \`${resource}.*.${action}\` | ${where} |`,
      ),
    ),
    '',
    '## Effects beyond the name',
    '',
    'Grant the permissions of these operations with care: they allow more than their names suggest.',
    '',
    '| Operation | What it also allows |',
    '|---|---|',
    ...operations.flatMap(({ name, gives }) => (gives === undefined ? [] : [`| \`${name}\` | ${gives} |`])),
    '',
    '## A missing permission',
    '',
    'A key that cannot read a resource gets 404, as if the resource did not exist. A key that can read it, but lacks the permission for the',
    'operation, gets 403 `authorization/insufficient_permissions`: `detail` names the missing permission. The permission to read is',
    '`read_domain` for a domain, and `read_environment`, `read_app`, `read_project`, `read_webhook` or `read_key` for the others.',
    '',
    ...PRESET_SECTION,
  ].join('\n');
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ');
}
