import { createRoles } from '../support/database-roles.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { describePostgres } from './postgres.ts';

describePostgres(
  'on the newest PostgreSQL that is supported, with the rights of a role that serves',
  async () => sharedPostgres(),
  async (server) => {
    const { createDatabase } = await createRoles(server);
    return createDatabase;
  },
);
