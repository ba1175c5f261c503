import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { type ColumnTypes, index } from './column-types.ts';

/**
 * The state of certificates, and all that is needed to issue and serve them. The previous release keeps adding rows to `certificates` with a
 * host name, a state and a time, and deleting them by host name: so new columns are nullable or have a default, and what belongs to a
 * certificate is deleted with its row.
 */
export function certificates(types: ColumnTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await extendCertificates(db, types);
      await createServing(db, types);
      await createOrders(db, types);
      await createAccounts(db, types);
      for (const table of SECRETS) await indexKeyIds(db, table);
    },
  };
}

async function extendCertificates(db: Kysely<unknown>, { integer, text }: ColumnTypes): Promise<void> {
  const table = () => db.schema.alterTable('certificates');
  // SQLite adds one column at a time.
  await table().addColumn('workspace_id', text).execute();
  await table().addColumn('next_try_at', integer).execute();
  await table().addColumn('leased_until', integer).execute();
  for (const name of ['begun', 'lease', 'failures']) {
    await table()
      .addColumn(name, integer, (c) => c.notNull().defaultTo(0))
      .execute();
  }
  for (const name of ['problem', 'self_check']) await table().addColumn(name, text).execute();
  await index(db, 'certificates', ['begun', 'next_try_at']);
  await index(db, 'certificates', ['begun', 'workspace_id', 'next_try_at']);
  await index(db, 'certificates', ['state', 'hostname']);
}

async function createServing(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, bytes, text } = types;
  await types
    .table(db, 'served_certificates')
    .addColumn('hostname', text, (c) =>
      c.primaryKey().notNull().references('certificates.hostname').onDelete('cascade'),
    )
    .addColumn('issuer', text, (c) => c.notNull())
    .addColumn('chain', text, (c) => c.notNull())
    .addColumn('private_key', bytes, (c) => c.notNull())
    .addColumn('not_before', integer, (c) => c.notNull())
    .addColumn('not_after', integer, (c) => c.notNull())
    .addColumn('issued_at', integer, (c) => c.notNull())
    .addColumn('renewal', text, (c) => c.notNull())
    .execute();
  await index(db, 'served_certificates', ['not_after']);
  // No foreign key: a challenge that is left behind expires.
  await types
    .table(db, 'challenges')
    .addColumn('hostname', text, (c) => c.notNull())
    .addColumn('token', text, (c) => c.notNull())
    .addColumn('key_authorization', text, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('challenges_pkey', ['hostname', 'token'])
    .execute();
  await index(db, 'challenges', ['expires_at']);
}

async function createOrders(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, bytes, text } = types;
  await types
    .table(db, 'certificate_orders')
    .addColumn('hostname', text, (c) =>
      c.primaryKey().notNull().references('certificates.hostname').onDelete('cascade'),
    )
    .addColumn('issuer', text, (c) => c.notNull())
    .addColumn('url', text)
    .addColumn('private_key', bytes, (c) => c.notNull())
    .addColumn('replaces', text)
    .addColumn('started_at', integer, (c) => c.notNull())
    .addColumn('spending_seq', integer, (c) => c.notNull())
    .execute();
  // The ledger outlives certificates and domains, since the CA's limits do.
  await types
    .sequence(types.table(db, 'spending'), 'seq')
    .addColumn('issuer', text, (c) => c.notNull())
    .addColumn('hostname', text, (c) => c.notNull())
    .addColumn('registered_domain', text, (c) => c.notNull())
    .addColumn('exempt', integer, (c) => c.notNull())
    .addColumn('outcome', text)
    .addColumn('ordered_at', integer, (c) => c.notNull())
    .addColumn('counted_at', integer, (c) => c.notNull())
    .execute();
  await index(db, 'spending', ['issuer', 'exempt', 'ordered_at']);
  await index(db, 'spending', ['issuer', 'hostname', 'counted_at']);
  await index(db, 'spending', ['issuer', 'registered_domain', 'counted_at']);
  await index(db, 'spending', ['ordered_at']);
}

async function createAccounts(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { integer, bytes, text } = types;
  await types
    .table(db, 'ca_accounts')
    .addColumn('issuer', text, (c) => c.primaryKey().notNull())
    .addColumn('url', text)
    .addColumn('private_key', bytes, (c) => c.notNull())
    .addColumn('certificate', text)
    .addColumn('paused_until', integer)
    .addColumn('problem', text)
    .addColumn('created_at', integer, (c) => c.notNull())
    .execute();
}

const SECRETS = ['served_certificates', 'certificate_orders', 'ca_accounts', 'signing_keys'];

/** Finds secrets by their prefix: format and key id. */
async function indexKeyIds(db: Kysely<unknown>, table: string): Promise<void> {
  await db.schema.createIndex(`${table}_by_key_id`).on(table).expression(sql`substr(private_key, 1, 9)`).execute();
}
