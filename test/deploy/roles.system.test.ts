import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  listenForChanges,
  migrate,
  pendingMigrations,
  postgresStore,
} from '../../server/src/store/engine/postgres/postgres.ts';
import { createRoles, FIRST, type Roles } from '../support/database-roles.ts';
import { aWorkspace } from '../support/entities.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

// That the role that serves has all the rights it needs is shown by the contract of the store
// (test/store/postgres.system.test.ts).

let server: PostgresServer;
let roles: Roles;

beforeAll(async () => {
  server = await startPostgres();
  roles = await createRoles(server, async ({ addressOf }) => {
    const address = addressOf(FIRST, 'serve');
    await expect(postgresStore({ address })).rejects.toThrow('the role may not do this');
  });
});
afterAll(() => server.close());

describe('the role that serves, with the rights that deploy/postgres/roles.sql gives it and no more', () => {
  test('starts as serve does, where no migration is pending', async () => {
    const address = await roles.createDatabase();
    expect(await pendingMigrations(address)).toEqual([]);
    expect(await migrate(address)).toEqual([]);
  });

  test('receives changes', async () => {
    const address = await roles.createDatabase();
    const store = await postgresStore({ address });
    let heard = () => {};
    const listening = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const listener = listenForChanges(address, async () => heard());
    // The first news is that it listens.
    await listening;
    const change = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const workspace = aWorkspace();
    await store.createWorkspace(workspace);
    await store.setWorkspaceDisabled(workspace.id, 1);
    await change;
    await listener.stop();
    await store.close();
  });

  test.each([
    ['make a table', 'create table t (id bigint)'],
    ['change a table', 'alter table domains add column more text'],
    ['drop a table', 'drop table changes'],
    ['empty a table without a trace', 'truncate domains'],
    ['take a constraint away', 'drop index domains_verified_name'],
    ['become the other role', 'set role nameplate_migrate'],
  ])('may not %s', async (_, sql) => {
    const { user, database } = await roles.createDatabase();
    await expect(server.run(server.url(database, user), sql)).rejects.toMatchObject({ code: '42501' });
  });
});
