const on = (resource: string, ...actions: string[]) => actions.map((action) => `${resource}.*.${action}`);

const READ = [
  ...on('environment', 'read_domain', 'read_environment', 'read_deployment', 'read_origin_settings', 'read_usage'),
  ...['project.*.read_project', 'app.*.read_app', 'webhook.*.read_webhook', 'setup.*.read_brand'],
  ...['key.*.read_key', 'audit.*.read_entries'],
];

/**
 * Permissions for usual purposes. None of them lets a key make keys or workspaces. A key keeps the permissions that it
 * was made with when a preset changes.
 */
export const PRESETS = {
  /** Sees everything, and changes nothing. */
  'read-only': READ,
  /** Helps customers with their domains: sees everything, checks again, and makes set-up links. */
  support: [...READ, ...on('environment', 'verify_domain', 'create_setup_link')],
  /** The backend of a platform: its domains, the origins that serve them, its webhooks, links and dashboard tokens. */
  platform: [
    ...on('environment', 'create_domain', 'replace_domain', 'read_domain', 'update_domain', 'verify_domain'),
    ...on('environment', 'delete_domain', 'create_setup_link', 'read_environment', 'create_deployment'),
    ...on('environment', 'read_deployment', 'read_origin_settings', 'update_origin_settings'),
    ...on('webhook', 'create_webhook', 'read_webhook', 'update_webhook', 'delete_webhook'),
    ...['project.*.read_project', 'app.*.read_app', 'token.*.create_token'],
  ],
} as const satisfies Record<string, readonly string[]>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];
