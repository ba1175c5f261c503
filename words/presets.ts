const on = (resource: string, ...actions: string[]) => actions.map((action) => `${resource}.*.${action}`);

const READ = [
  ...on('environment', 'read_domain', 'read_environment', 'read_deployment', 'read_origin_settings', 'read_usage'),
  ...['project.*.read_project', 'app.*.read_app', 'webhook.*.read_webhook', 'setup.*.read_brand'],
  ...['key.*.read_key', 'audit.*.read_entries'],
];

const PLATFORM = [
  ...on('environment', 'create_domain', 'replace_domain', 'read_domain', 'update_domain', 'verify_domain'),
  ...on('environment', 'delete_domain', 'create_setup_link', 'read_environment', 'create_deployment'),
  ...on('environment', 'read_deployment', 'read_origin_settings', 'update_origin_settings'),
  ...on('webhook', 'create_webhook', 'read_webhook', 'update_webhook', 'delete_webhook'),
  ...['project.*.read_project', 'app.*.read_app', 'token.*.create_token'],
];

/**
 * Permissions for usual purposes. None of them makes workspaces, and only `owner` makes keys. A key keeps the permissions that it
 * was made with when a preset changes.
 */
export const PRESETS = {
  /** Sees everything, and changes nothing. */
  'read-only': READ,
  /** Helps customers with their domains: sees everything, checks again, and makes set-up links. */
  support: [...READ, ...on('environment', 'verify_domain', 'create_setup_link')],
  /** The backend of a platform: its domains, the origins that serve them, its webhooks, links and dashboard tokens. */
  platform: PLATFORM,
  /** Runs a workspace: all that can be done in it by the dashboard. */
  owner: [
    ...new Set([...READ, ...PLATFORM.filter((grant) => !grant.startsWith('token.'))]),
    ...on('environment', 'create_environment', 'delete_environment', 'use_shared_target'),
    ...['project.*.create_project', 'project.*.delete_project', 'app.*.create_app', 'app.*.delete_app'],
    ...['setup.*.set_brand', 'key.*.create_key', 'key.*.rotate_key', 'key.*.revoke_key'],
  ],
} as const satisfies Record<string, readonly string[]>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];
