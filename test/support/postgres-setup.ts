import type { TestProject } from 'vitest/node';
import { migrate } from '../../server/src/store/engine/postgres/postgres.ts';
import { addressOf, installPostgres, startInstalled } from './postgres.ts';

/**
 * One PostgreSQL server for all test files of a project, with a migrated database to copy. Nothing that they test looks
 * at the disk.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const installation = await installPostgres();
  const server = await startInstalled(installation, { fsync: 'off' });
  const migrated = await server.createDatabase();
  await migrate(addressOf(migrated));
  const { programs, data } = installation;
  project.provide('postgres', { installation: { programs, data }, superuser: server.url('postgres'), migrated });
  return async () => {
    await server.close();
    await installation.remove();
  };
}
