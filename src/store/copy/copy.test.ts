import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf, type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import type { Schema } from '../sql/schema.ts';
import type { CopySource, Table } from './copy.ts';
import * as postgres from './postgres-end.ts';
import * as sqlite from './sqlite-end.ts';

let directory: string;
let server: PostgresServer;
let sources: CopySource[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-copy-'));
  server = await startPostgres();
  const address = addressOf(await server.createDatabase());
  sources = [await sqlite.copySource(join(directory, 'nameplate.db')), await postgres.copySource(address)];
});
afterAll(async () => {
  for (const source of sources) await source.close();
  await server.close();
  await rm(directory, { recursive: true });
});

/** The compiler demands every table, and every column of it; the tests demand that nothing else is there. */
type Columns = { [T in keyof Schema]: { [C in keyof Schema[T]]: true } };

const place = { id: true, workspace_id: true, slug: true, name: true, created_at: true } as const;
const schema: Columns = {
  workspaces: { id: true, name: true, disabled_at: true, limits: true, created_at: true },
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
  },
  routes: { hostname: true, domain_id: true, environment_id: true },
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
  },
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
  events: {
    seq: true,
    id: true,
    domain_id: true,
    workspace_id: true,
    type: true,
    data: true,
    created_at: true,
  },
  changes: { seq: true, kind: true, key: true, created_at: true },
  request_counts: { subject: true, operation: true, window_ms: true, window_ends_at: true, requests: true },
};

const byName = (tables: Table[]) => tables.toSorted((a, b) => (a.name < b.name ? -1 : 1));

test('a copy is of every table and every column of the schema, on both engines alike', async () => {
  const [file = [], database] = await Promise.all(sources.map((source) => source.tables().then(byName)));
  expect(file).toEqual(database);
  const columns = file.map(({ name, columns }) => [name, Object.fromEntries(columns.map((column) => [column, true]))]);
  expect(Object.fromEntries(columns)).toEqual(schema);
});

test('every table has a key by which it is read in order, and refers to tables that are copied', async () => {
  for (const { name, columns, key, refersTo } of (await sources[0]?.tables()) ?? []) {
    expect({ name, key, unknown: key.filter((column) => !columns.includes(column)) }).toEqual({
      name,
      key: expect.arrayContaining([expect.any(String)]),
      unknown: [],
    });
    expect(Object.keys(schema)).toEqual(expect.arrayContaining(refersTo));
  }
});
