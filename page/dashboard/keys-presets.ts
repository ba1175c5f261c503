// Presets of the API, to offer those alone that the person may give. A test holds them to the server's.

const on = (resource: string, ...actions: string[]) => actions.map((action) => `${resource}.*.${action}`);

const READ = [
  ...on('environment', 'read_domain', 'read_environment', 'read_deployment', 'read_origin_settings', 'read_usage'),
  ...['project.*.read_project', 'app.*.read_app', 'webhook.*.read_webhook', 'setup.*.read_brand'],
  ...['key.*.read_key', 'audit.*.read_entries'],
];

const BACKEND = [
  ...on('environment', 'create_domain', 'replace_domain', 'read_domain', 'update_domain', 'verify_domain'),
  ...on('environment', 'delete_domain', 'create_setup_link', 'read_environment', 'create_deployment'),
  ...on('environment', 'read_deployment', 'read_origin_settings', 'update_origin_settings'),
  ...on('webhook', 'create_webhook', 'read_webhook', 'update_webhook', 'delete_webhook'),
  ...['project.*.read_project', 'app.*.read_app'],
];

export const PRESETS = {
  'read-only': READ,
  support: [...READ, ...on('environment', 'verify_domain', 'create_setup_link')],
  platform: [...BACKEND, 'token.*.create_token'],
  owner: [
    ...new Set([...READ, ...BACKEND]),
    ...on('environment', 'create_environment', 'delete_environment', 'use_shared_target'),
    ...['project.*.create_project', 'project.*.delete_project', 'app.*.create_app', 'app.*.delete_app'],
    ...['setup.*.set_brand', ...on('key', 'create_key', 'rotate_key', 'revoke_key')],
  ],
} as const satisfies Record<string, readonly string[]>;

export type Preset = keyof typeof PRESETS;

/** Whether somebody with the permissions `own` may give all of these: nobody gives what they lack. */
export function mayGive(own: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((grant) => own.includes(grant) || own.includes(grant.replace(/^([^.]+)\.[^.]+\./, '$1.*.')));
}

/** The presets that somebody with these permissions may give, the least first. */
export function givable(own: readonly string[]): Preset[] {
  return (Object.keys(PRESETS) as Preset[]).filter((preset) => mayGive(own, PRESETS[preset]));
}
