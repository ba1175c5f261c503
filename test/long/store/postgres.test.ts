import { describePostgres } from '../../store/postgres.ts';
import { addressOf, startPostgres } from '../../support/postgres.ts';

describePostgres(
  'on the oldest PostgreSQL that is supported, as the owner of everything',
  () => startPostgres('oldest', { fsync: 'off' }),
  async (server) => async () => addressOf(await server.createDatabase()),
);
