import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the certificates that have been waiting to be ordered for longest. Few rows are in it, whatever the number of certificates in use. */
export function waitingCertificates(): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createIndex('certificates_waiting')
        .on('certificates')
        .column('created_at')
        .where(
          sql<boolean>`state not in ('waiting_for_routing', 'ordering', 'issued', 'renewing') and authorization_failed_at is null`,
        )
        .execute();
    },
  };
}
