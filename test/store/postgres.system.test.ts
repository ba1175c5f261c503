import { createRoles } from '../support/database-roles.ts';
import { startPostgres } from '../support/postgres.ts';
import { describePostgres } from './postgres.ts';

describePostgres(
  'on the newest PostgreSQL that is supported, with the rights of a role that serves',
  // A server of its own: the change feed cannot tell transactions of other databases from those of its own.
  () => startPostgres('newest', { fsync: 'off' }),
  async (server) => {
    const { createDatabase } = await createRoles(server);
    return createDatabase;
  },
);
