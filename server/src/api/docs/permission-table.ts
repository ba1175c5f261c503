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
  'A preset is a set of permissions, for `nameplate keys create --preset`, `keys.createKey` and `workspaces.createWorkspace`. `nameplate init`',
  'makes a key with `platform`. A key keeps what it was made with when a preset changes.',
  '',
  '| Preset | For | Permissions |',
  '|---|---|---|',
  `| \`read-only\` | seeing everything, and changing nothing | ${listed(PRESETS['read-only'])} |`,
  `| \`support\` | helping customers with their domains | ${listed(PRESETS.support)} |`,
  `| \`platform\` | the backend of a platform | ${listed(PRESETS.platform)} |`,
  '',
  '## Who may give what',
  '',
  'A key gives keys, tokens and workspaces what it has itself, and nothing else ([keys.md](../guides/keys.md)). The permission on all resources of a kind',
  'includes the one on each of them, so a key with `environment.*.read_domain` may give `environment.env_….read_domain`, and not the other way',
  'round. A permission of the form `<resource_name>/<resource>#<action>` includes itself alone. No preset has `key.*.create_key`,',
  '`key.*.rotate_key`, `key.*.revoke_key` or a permission on workspaces: the operator gives them first, with `nameplate keys create --permission`.',
  '',
];

/** The text of docs/reference/permissions.md. */
export function renderPermissions(): string {
  return [
    '# Permissions',
    '',
    '<!-- Generated from the operations in server/src/api/ by "npm run generate". Do not edit. -->',
    '',
    'A root key and a dashboard token allow what their permissions name, in their own workspace, and nothing else:',
    '',
    '```sh',
    "nameplate keys create --workspace ws_… --permission 'environment.*.read_domain' --permission 'environment.env_….create_domain'",
    '```',
    '',
    'The `*` stands for all resources of the kind, present and future. The id of one, such as `environment.env_….read_domain`, permits the',
    'same for that resource alone. Operations in the last column take `*`: what they are about does not exist yet, or is all of a kind.',
    'The permission on a parent gives nothing below it, and the one to change gives none to read.',
    '',
    '`nameplate keys create` and `nameplate tokens create` refuse a permission that is not in this table.',
    '',
    '| Permission | Operations, with `*` or an id | Operations, with `*` only |',
    '|---|---|---|',
    ...requiredPermissions().map(
      ({ resource, action, onOne, onAll }) => `| \`${resource}.*.${action}\` | ${listed(onOne)} | ${listed(onAll)} |`,
    ),
    '',
    '## Beside its permission',
    '',
    'These operations need another permission as well, with `*` or the id of the resource:',
    '',
    '| Operation | Also needs | Where |',
    '|---|---|---|',
    ...operations.flatMap(({ name, needs = [] }) =>
      needs.map(
        ({ permission: { resource, action }, where }) => `| \`${name}\` | \`${resource}.*.${action}\` | ${where} |`,
      ),
    ),
    '',
    'These let their holder do, or learn, more than their name says:',
    '',
    '| Operation | What it gives |',
    '|---|---|',
    ...operations.flatMap(({ name, gives }) => (gives === undefined ? [] : [`| \`${name}\` | ${gives} |`])),
    '',
    '## A missing permission',
    '',
    'A key that may not read a resource gets 404 for it, as for one that does not exist. One that may read it',
    '(`read_domain` for a domain, `read_environment`, `read_app`, `read_project` or `read_webhook` for the others) gets 403',
    '`authorization/insufficient_permissions`, and `detail` names the permission that is missing.',
    '',
    ...PRESET_SECTION,
  ].join('\n');
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
