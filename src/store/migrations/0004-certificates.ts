import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Types } from './column-types.ts';

/**
 * How certificates stand, and all that it takes to obtain and serve them. The release before goes on adding rows of `certificates` with a host
 * name, a state and the time, and deleting them by host name: so every new column does without a value, and what belongs to a certificate
 * goes with its row.
 */
export function certificates(types: Types): Migration {
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

async function extendCertificates(db: Kysely<unknown>, { integer, text }: Types): Promise<void> {
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

async function createServing(db: Kysely<unknown>, types: Types): Promise<void> {
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
  // Without a reference: whatever of them is left behind expires.
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

async function createOrders(db: Kysely<unknown>, types: Types): Promise<void> {
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
  // The ledger: it outlives certificates and domains, as the memory of the CA does.
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

async function createAccounts(db: Kysely<unknown>, types: Types): Promise<void> {
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

/** Finds secrets by what they begin with: the format and the key that they are sealed under. */
async function indexKeyIds(db: Kysely<unknown>, table: string): Promise<void> {
  await db.schema.createIndex(`${table}_by_key_id`).on(table).expression(sql`substr(private_key, 1, 9)`).execute();
}

async function index(db: Kysely<unknown>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
