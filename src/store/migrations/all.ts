import type { Migration } from 'kysely/migration';
import { certificates } from './certificates.ts';
import { initial } from './initial.ts';
import { requestCounts } from './requests.ts';
import { signingKeys } from './signing.ts';
import type { Types } from './types.ts';

/** Every migration, oldest first by name. A migration that has been released is never changed: add another. */
export function allMigrations(types: Types): Record<string, Migration> {
  return {
    '0001-initial': initial(types),
    '0002-signing-keys': signingKeys(types),
    '0003-request-counts': requestCounts(types),
    '0004-certificates': certificates(types),
  };
}
