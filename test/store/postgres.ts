import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresAddress, postgresStore } from '../../server/src/store/engine/postgres/postgres.ts';
import type { Postgres, PostgresServer } from '../support/postgres.ts';
import { describeStore } from './store.ts';
import type { OpenedStore } from './subject.ts';

/** Describes the store on databases of a server. */
export function describePostgres(
  name: string,
  start: () => Promise<PostgresServer>,
  prepare: (server: Postgres) => Promise<() => Promise<PostgresAddress>>,
): void {
  describe(name, () => {
    let server: PostgresServer;
    let createDatabase: () => Promise<PostgresAddress>;
    beforeAll(async () => {
      server = await start();
      createDatabase = await prepare(server);
    });
    afterAll(() => server.close());

    describeStore('the PostgreSQL store', async () => open(server, await createDatabase()));
  });
}

async function open(server: Postgres, address: PostgresAddress): Promise<OpenedStore> {
  let store = await postgresStore({ address });
  const url = server.url(address.database);
  return {
    store,
    async reopen() {
      await store.close();
      store = await postgresStore({ address });
      return store;
    },
    async run(sql) {
      await server.run(url, sql);
    },
    query: (sql) => server.run(url, sql),
    async contains(bytes) {
      const tables = await server.run(url, "select tablename from pg_tables where schemaname = 'public'");
      // A row as text has its bytes in hexadecimal digits.
      const [text, digits] = [Buffer.from(bytes).toString('latin1'), Buffer.from(bytes).toString('hex')];
      const lines = tables.map(({ tablename }) => `select "${tablename}"::text as line from "${tablename}"`);
      const found = await server.run(url, lines.join(' union all '));
      return found.some(({ line }) => String(line).includes(text) || String(line).includes(digits));
    },
    close: () => store.close(),
  };
}
