import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenForChanges, migrate, pendingMigrations, postgresStore } from '../../src/store/postgres.ts';
import { describeStore } from '../contract/store.ts';
import { aWorkspace } from '../fixtures/entities.ts';
import { addressOf, type PostgresServer, startPostgres } from '../fixtures/postgres.ts';
import { read } from './image.ts';

let server: PostgresServer;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
  await server.run(server.url('postgres'), 'create database nameplate');
  await server.run(server.url('nameplate'), read('deploy/postgres/roles.sql'));
  const { password } = new URL(server.url('nameplate'));
  for (const role of ['nameplate_migrate', 'nameplate_serve']) {
    await server.run(server.url('postgres'), `alter role ${role} password '${decodeURIComponent(password)}'`);
  }
  await expect(postgresStore({ address: roleOn('nameplate', 'serve') })).rejects.toThrow('the role may not do this');
  await migrate(roleOn('nameplate', 'migrate'));
});
afterAll(() => server.close());

function roleOn(database: string, role: 'migrate' | 'serve') {
  return addressOf(server.url(database, `nameplate_${role}`));
}

/** One more database as the migrating role left it, for the role that serves. */
async function another() {
  databases += 1;
  await server.run(server.url('postgres'), `create database nameplate${databases} template nameplate`);
  return roleOn(`nameplate${databases}`, 'serve');
}

describe('the role that serves, with the rights that deploy/postgres/roles.sql gives it and no more', () => {
  describeStore('has all that the store needs', async () => {
    const address = await another();
    let store = await postgresStore({ address });
    return {
      store,
      async reopen() {
        await store.close();
        store = await postgresStore({ address });
        return store;
      },
      close: () => store.close(),
    };
  });

  test('starts as serve does, where no migration is pending', async () => {
    const address = await another();
    expect(await pendingMigrations(address)).toEqual([]);
    expect(await migrate(address)).toEqual([]);
  });

  test('hears of changes', async () => {
    const address = await another();
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
    const { user, database } = await another();
    await expect(server.run(server.url(database, user), sql)).rejects.toMatchObject({ code: '42501' });
  });
});
