import { registerHooks } from 'node:module';

// Loaded first (`node --import`), it makes the program that follows the next version of itself: with one more
// migration.

const MIGRATIONS = '/server/src/store/schema/migrations.ts';
const NEXT = `
  import { allMigrations as before } from './migrations.ts?before';
  import { nextMigrations } from '${new URL('./migration.ts', import.meta.url)}';
  export const allMigrations = (dialect) => ({ ...before(dialect), ...nextMigrations(dialect) });`;

registerHooks({
  load(url, context, load) {
    if (!url.endsWith(MIGRATIONS)) return load(url, context);
    return { format: 'module', source: NEXT, shortCircuit: true };
  },
});
