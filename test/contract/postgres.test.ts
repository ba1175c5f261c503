import { createRoles } from '../fixtures/roles.ts';
import { describePostgres } from './postgres.ts';

describePostgres(
  'on the newest PostgreSQL that is supported, with the rights of a role that serves',
  'newest',
  async (server) => {
    const { createDatabase } = await createRoles(server);
    return createDatabase;
  },
);
