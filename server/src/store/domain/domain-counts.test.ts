import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { createMigratedFile } from '../../../../test/support/engine.ts';
import { connect } from '../engine/sqlite/sqlite-connection.ts';
import type { Reader } from '../engine/statement.ts';
import { countSites } from './board-counts.ts';
import { countDomains, countWorkspaceDomains } from './domain-counts.ts';

const directory = temporaryDirectory();
const path = `${directory.path}/nameplate.db`;
const closing: (() => unknown)[] = [() => directory.remove()];
let reader: Reader;
let statements = 0;

beforeAll(async () => {
  await createMigratedFile(path);
  const db = new DatabaseSync(path);
  // Three workspaces; the last one has no more than one domain of each status.
  db.exec(`pragma foreign_keys = off;
    with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i < 22)
    insert into domains (id, workspace_id, project_id, app_id, environment_id, name, kind, service, target, token, status, created_at, window_started_at, revision)
    select 'dom_' || i, 'ws_' || min(i / 10, 2), '', '', '', i || '.example.com', 'subdomain', '', 't' || i, i,
      case i % 3 when 0 then 'pending' when 1 then 'verified' else 'failed' end, 0, 0, 0 from numbers`);
  db.exec(`insert into certificates (hostname, state, created_at, workspace_id, next_try_at, begun, lease, failures)
    select name, iif(id < 'dom_2', 'issued', 'wanted'), 0, workspace_id, 0, 0, 0, 0 from domains where status = 'verified'`);
  db.close();
  const connection = connect(path, { readOnly: true, busyTimeoutMs: 0 });
  closing.push(() => connection.db.close());
  reader = {
    one: (...call) => connection.one(...call),
    all: (...call) => {
      statements += 1;
      return connection.all(...call);
    },
  };
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

it.each([1, 2, 3, 7, 22, 23, 24])(
  'domains are counted once each, in steps of %i: within a workspace and a status, and across both',
  async (batch) => {
    statements = 0;
    expect(await countDomains(reader, { batch })).toEqual({ pending: 8, verifying: 0, verified: 8, failed: 7 });
    expect(statements).toBe(Math.floor(23 / batch) + 1);
  },
);

it.each([1, 2, 3, 7, 100])('those of one workspace are counted without the others, in steps of %i', async (batch) => {
  const states = { wanted: 0, waiting_for_routing: 0, ordering: 0, issued: 0, renewing: 0, failed: 0 };
  expect(await countWorkspaceDomains(reader, 'ws_1', { batch })).toEqual({
    total: 10,
    byStatus: { pending: 3, verifying: 0, verified: 4, failed: 3 },
    byCertificate: { ...states, none: 6, issued: 4 },
  });
  expect(await countWorkspaceDomains(reader, 'ws_none', { batch })).toMatchObject({ total: 0 });
});

it.each([1, 2, 3, 9, 10, 11])(
  'a board counts the domains of its workspace once each, in slices of %i',
  async (slice) => {
    const counts = await countSites(reader, 'ws_1', {}, 0, { slice });
    expect(counts.total).toBe(10);
    expect(new Map(counts.blockers.map(({ reason, count }) => [reason, count]))).toEqual(
      new Map([
        ['not_checked', 3],
        ['not_ordered', 4],
        ['verification_failed', 3],
      ]),
    );
    expect(await countSites(reader, 'ws_none', {}, 0, { slice })).toMatchObject({ total: 0, blockers: [] });
  },
);
