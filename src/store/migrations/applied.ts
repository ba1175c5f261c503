import { StoreUnavailable } from '../contract/store.ts';

/** The first migration of development builds, whose schema became `0001-schema`. */
const DEVELOPMENT = '0001-initial';

/** Throws unless the database is empty, or has no migrations but those of this version. `name` is for people. */
export function refuseForeign(name: string, tables: string[], applied: string[], migrations: readonly string[]): void {
  if (tables.length === 0) return;
  if (applied.includes(DEVELOPMENT)) {
    throw new StoreUnavailable(
      `${name} was made by a development build from before 0.1.0, and no release can read it: remove it, or name an empty one`,
    );
  }
  if (!applied.some((migration) => migrations.includes(migration))) {
    throw new StoreUnavailable(
      `${name} is the database of another program: name another one, or in PostgreSQL another schema (search_path)`,
    );
  }
  const unknown = applied.find((migration) => !migrations.includes(migration));
  if (unknown !== undefined) {
    throw new StoreUnavailable(
      `${name} was written by a newer nameplate (it has the migration "${unknown}", unknown here): upgrade nameplate, or restore the backup taken before the upgrade`,
    );
  }
}

/** An older schema is migrated only when the operator says so. */
export function olderSchema(name: string, pending: string): StoreUnavailable {
  return new StoreUnavailable(
    `${name} was written by an older nameplate (it lacks the migration "${pending}"): back it up, then run "nameplate migrate"`,
  );
}
