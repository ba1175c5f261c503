import { afterAll, beforeAll, describe } from 'vitest';
import { postgresStore } from '../../src/store/postgres.ts';
import { addressOf, type PostgresServer, startPostgres, VERSIONS } from '../fixtures/postgres.ts';
import { describeStore } from './store.ts';

for (const version of Object.keys(VERSIONS) as (keyof typeof VERSIONS)[]) {
  describe(`on the ${version} PostgreSQL that is supported`, () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres(version);
    });
    afterAll(() => server.close());

    describeStore('the PostgreSQL store', async () => {
      const address = addressOf(await server.createDatabase());
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
  });
}
