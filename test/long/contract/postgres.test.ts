import { describePostgres } from '../../contract/postgres.ts';
import { addressOf } from '../../support/postgres.ts';

describePostgres('on the oldest PostgreSQL that is supported, as the owner of everything', 'oldest', async (server) => {
  return async () => addressOf(await server.createDatabase());
});
