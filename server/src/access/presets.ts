const READ = [
  ...['read_domain', 'read_environment', 'read_deployment', 'read_origin_settings', 'read_usage'].map(
    (action) => `environment.*.${action}`,
  ),
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
  support: [...READ, 'environment.*.verify_domain', 'environment.*.create_setup_link'],
  /** The backend of a platform: its domains, the origins that serve them, its webhooks, links and dashboard tokens. */
  platform: [
    ...[
      'create_domain',
      'replace_domain',
      'read_domain',
      'update_domain',
      'verify_domain',
      'delete_domain',
      'create_setup_link',
    ].map((action) => `environment.*.${action}`),
    ...[
      'read_environment',
      'create_deployment',
      'read_deployment',
      'read_origin_settings',
      'update_origin_settings',
    ].map((action) => `environment.*.${action}`),
    ...['create_webhook', 'read_webhook', 'update_webhook', 'delete_webhook'].map((action) => `webhook.*.${action}`),
    ...['project.*.read_project', 'app.*.read_app', 'token.*.create_token'],
  ],
} as const satisfies Record<string, readonly string[]>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];
