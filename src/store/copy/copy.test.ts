import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Schema } from '../sql/schema.ts';
import { type CopySource, openSource } from './sqlite-source.ts';

let directory: string;
let path: string;
let source: CopySource;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-copy-'));
  path = join(directory, 'nameplate.db');
  source = await openSource(path);
});
afterAll(() => rm(directory, { recursive: true }));

/** The compiler demands every table and column of the schema; the test demands that there is no other. */
type Columns = { [T in keyof Schema]: { [C in keyof Schema[T]]: true } };

const place = { id: true, workspace_id: true, slug: true, name: true, created_at: true } as const;
const schema: Columns = {
  workspaces: {
    id: true,
    name: true,
    disabled_at: true,
    limits: true,
    created_at: true,
    suspended_status: true,
    suspended_at: true,
  },
  suspended_names: { workspace_id: true, name: true, status: true, suspended_at: true },
  suspensions: { domain_id: true, status: true, suspended_at: true },
  root_keys: {
    id: true,
    workspace_id: true,
    hash: true,
    name: true,
    start: true,
    permissions: true,
    expires_at: true,
    disabled_at: true,
    created_at: true,
    last_used_at: true,
  },
  signing_keys: { id: true, public_key: true, private_key: true, created_at: true, retired_at: true },
  projects: place,
  apps: { ...place, project_id: true },
  environments: { ...place, project_id: true, app_id: true, current_deployment_id: true },
  deployments: { id: true, workspace_id: true, environment_id: true, origin: true, created_at: true },
  domains: {
    id: true,
    workspace_id: true,
    project_id: true,
    app_id: true,
    environment_id: true,
    name: true,
    kind: true,
    service: true,
    target: true,
    token: true,
    status: true,
    routing_verified_at: true,
    ownership_verified_at: true,
    verification_error: true,
    created_at: true,
    updated_at: true,
    verified_at: true,
    window_started_at: true,
    revision: true,
  },
  checks: {
    domain_id: true,
    next_check_at: true,
    window_ends_at: true,
    attempts: true,
    unreadable_in_a_row: true,
    proven_since: true,
    ownership_doubt: true,
    routing_doubt: true,
    fingerprint: true,
    last_check_at: true,
  },
  check_results: { domain_id: true, digest: true, checked_at: true, findings: true, observation: true },
  routes: { hostname: true, domain_id: true, environment_id: true },
  redirects: { domain_id: true, destination_id: true, status: true, set_at: true },
  deleted_domains: {
    id: true,
    workspace_id: true,
    name: true,
    domain: true,
    redirect: true,
    suspension: true,
    deleted_at: true,
    kept_until: true,
    superseded_at: true,
  },
  deleted_certificates: {
    domain_id: true,
    hostname: true,
    issuer: true,
    chain: true,
    private_key: true,
    not_before: true,
    not_after: true,
    issued_at: true,
    renewal: true,
  },
  monitors: {
    domain_id: true,
    next_check_at: true,
    last_check_at: true,
    attempts: true,
    suspected: true,
    drifted_since: true,
    gone_since: true,
    gone_until: true,
  },
  certificates: {
    hostname: true,
    state: true,
    created_at: true,
    workspace_id: true,
    next_try_at: true,
    leased_until: true,
    begun: true,
    lease: true,
    failures: true,
    problem: true,
    self_check: true,
    authorization_failed_at: true,
  },
  served_certificates: {
    hostname: true,
    issuer: true,
    chain: true,
    private_key: true,
    not_before: true,
    not_after: true,
    issued_at: true,
    renewal: true,
    expiring_at: true,
  },
  inherited_certificates: { hostname: true, chain: true, private_key: true, not_after: true },
  heartbeats: { role: true, seen_at: true },
  certificate_orders: {
    hostname: true,
    issuer: true,
    url: true,
    private_key: true,
    replaces: true,
    started_at: true,
    spending_seq: true,
  },
  spending: {
    seq: true,
    issuer: true,
    hostname: true,
    registered_domain: true,
    exempt: true,
    outcome: true,
    ordered_at: true,
    counted_at: true,
  },
  challenges: { hostname: true, token: true, key_authorization: true, expires_at: true },
  ca_accounts: {
    issuer: true,
    url: true,
    private_key: true,
    certificate: true,
    paused_until: true,
    problem: true,
    created_at: true,
  },
  audit_entries: {
    seq: true,
    id: true,
    workspace_id: true,
    kind: true,
    actor: true,
    action: true,
    source: true,
    request_id: true,
    target: true,
    target_name: true,
    detail: true,
    created_at: true,
  },
  idempotency_keys: { id: true, fingerprint: true, outcome: true, made: true, secret: true, created_at: true },
  events: {
    seq: true,
    id: true,
    domain_id: true,
    workspace_id: true,
    type: true,
    data: true,
    created_at: true,
    actor: true,
  },
  setup_links: {
    id: true,
    workspace_id: true,
    domain_id: true,
    hash: true,
    created_at: true,
    expires_at: true,
    revoked_at: true,
    created_by: true,
    revoked_by: true,
  },
  setup_pages: { workspace_id: true, brand: true, origins: true },
  setup_origins: { origin: true, workspace_id: true },
  webhooks: {
    id: true,
    workspace_id: true,
    url: true,
    types: true,
    created_at: true,
    updated_at: true,
    disabled_at: true,
    disabled_reason: true,
    failing_since: true,
    last_failed_at: true,
  },
  webhook_secrets: { id: true, webhook_id: true, secret: true, created_at: true, expires_at: true },
  webhook_deliveries: {
    seq: true,
    id: true,
    webhook_id: true,
    queue: true,
    event_id: true,
    type: true,
    message: true,
    happened_at: true,
    created_at: true,
    attempts: true,
    last_attempt_at: true,
    last_duration_ms: true,
    last_status: true,
    last_error: true,
    last_response: true,
    outcome: true,
    finished_at: true,
  },
  webhook_queues: { webhook_id: true, queue: true, next_attempt_at: true, lease: true },
  changes: { seq: true, kind: true, key: true, created_at: true },
  request_counts: { subject: true, operation: true, window_ms: true, window_ends_at: true, requests: true },
};

test('a copy has every table and every column of the schema', () => {
  const columns = source.tables.map(({ name, columns }) => [name, Object.fromEntries(columns.map((it) => [it, true]))]);
  expect(Object.fromEntries(columns)).toEqual(schema);
});

test('every table has a key by which it is read in order', () => {
  expect(
    source.tables.filter(({ columns, key }) => key.length === 0 || key.some((it) => !columns.includes(it))),
  ).toEqual([]);
});

test('every table is copied after those that it references', () => {
  source.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const names = source.tables.map(({ name }) => name);
  const early = names.flatMap((name, at) => {
    const references = db.prepare('select "table" as name from pragma_foreign_key_list(?)').all(name);
    return references.filter((other) => names.indexOf(String(other.name)) >= at).map((other) => [name, other.name]);
  });
  db.close();
  expect(early).toEqual([]);
});
