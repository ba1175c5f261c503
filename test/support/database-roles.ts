import { readFile } from 'node:fs/promises';
import { migrate, type PostgresAddress } from '../../server/src/store/engine/postgres/postgres.ts';
import { addressOf, type Postgres } from './postgres.ts';

/** The two roles of deploy/postgres/roles.sql on a server, and databases with no more rights than it gives them. */
export interface Roles {
  addressOf(database: string, role: 'migrate' | 'serve'): PostgresAddress;
  /** A new database as the migrating role leaves it, for the role that serves. */
  createDatabase(): Promise<PostgresAddress>;
}

export const FIRST = 'nameplate';

/**
 * Makes the roles as an administrator would, in a first database, which stays as it is. `beforeMigration` is called
 * with it empty.
 */
export async function createRoles(
  server: Postgres,
  beforeMigration: (roles: Roles) => Promise<void> = async () => {},
): Promise<Roles> {
  const roles: Roles = {
    addressOf: (database, role) => addressOf(server.url(database, `nameplate_${role}`)),
    async createDatabase() {
      databases += 1;
      await server.run(server.url('postgres'), `create database ${FIRST}${databases} template ${FIRST}`);
      return roles.addressOf(`${FIRST}${databases}`, 'serve');
    },
  };
  let databases = 0;
  await server.run(server.url('postgres'), `create database ${FIRST}`);
  const sql = new URL('../../deploy/postgres/roles.sql', import.meta.url);
  await server.run(server.url(FIRST), await readFile(sql, 'utf8'));
  const { password } = new URL(server.url(FIRST));
  for (const role of ['nameplate_migrate', 'nameplate_serve']) {
    await server.run(server.url('postgres'), `alter role ${role} password '${decodeURIComponent(password)}'`);
  }
  await beforeMigration(roles);
  await migrate(roles.addressOf(FIRST, 'migrate'));
  return roles;
}
