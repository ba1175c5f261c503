import { sql } from 'kysely';
import { defineChange } from '../engine/change.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { SecretCounts, SecretPlace, StoredSecret } from '../store.ts';

export async function listSecretPrefixes(reader: Reader): Promise<Uint8Array[]> {
  const found = new Map<string, Uint8Array>();
  for (const { selectNextPrefix } of Object.values(places)) {
    // From prefix to prefix over the index, however many secrets share one.
    for (let after = new Uint8Array(); ; ) {
      const next = await reader.one(selectNextPrefix, { after });
      if (next === null) break;
      after = Uint8Array.from(next.prefix);
      found.set(Buffer.from(after).toString('hex'), after);
    }
  }
  return [...found.values()];
}

export async function listSecrets(reader: Reader, prefix: Uint8Array, limit: number): Promise<StoredSecret[]> {
  const secrets: StoredSecret[] = [];
  for (const [kind, { selectSecrets }] of Object.entries(places)) {
    const rows = await reader.all(selectSecrets, { prefix, limit: limit - secrets.length });
    secrets.push(...rows.map((row) => ({ kind: kind as SecretPlace['kind'], ...row })));
  }
  return secrets;
}

export async function replaceSecret(tx: Transaction, { kind, id, bytes }: StoredSecret, after: Uint8Array) {
  return (await tx.execute(places[kind].updateSecret, { id, bytes, after })) > 0 ? 'replaced' : 'stale';
}

export async function countSecrets(reader: Reader, prefix: Uint8Array): Promise<SecretCounts> {
  const counts: SecretCounts = {};
  for (const [kind, { selectCount }] of Object.entries(places)) {
    const count = Number((await reader.one(selectCount, { prefix }))?.count ?? 0);
    if (count > 0) counts[kind as SecretPlace['kind']] = count;
  }
  return counts;
}

async function forgetSecrets(tx: Transaction, prefix: Uint8Array): Promise<SecretCounts> {
  const counts = await countSecrets(tx, prefix);
  await tx.execute(makeOwnersDue, { prefix });
  await tx.execute(makeOrderersDue, { prefix });
  for (const { deleteSecrets } of Object.values(places)) await tx.execute(deleteSecrets, { prefix });
  return counts;
}

export const secretChanges = {
  forgetSecrets: defineChange({
    perform: forgetSecrets,
    locks: NO_LOCKS,
    audit: {
      // After the format of a sealed secret comes the id of its key.
      targets: (_, prefix) => [{ workspaceId: null, target: Buffer.from(prefix).toString('hex', 1) }],
      isMade: (counts) => Object.keys(counts).length > 0,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

/** The statements of each kind of secret. */
const places = {
  certificate: statementsOf('servedCertificates', 'hostname'),
  inherited_certificate: statementsOf('inheritedCertificates', 'hostname'),
  fallback_certificate: statementsOf('fallbackCertificates', 'hostname'),
  deleted_certificate: statementsOf('deletedCertificates', 'hostname'),
  staged_certificate: statementsOf('stagedCertificates', 'hostname'),
  order: statementsOf('certificateOrders', 'hostname'),
  account: statementsOf('caAccounts', 'issuer'),
  signing_key: statementsOf('signingKeys', 'id'),
  connect_key: statementsOf('connectKeys', 'id'),
  idempotency_key: statementsOf('idempotencyKeys', 'id', 'secret'),
  webhook_secret: statementsOf('webhookSecrets', 'id', 'secret'),
  origin_secret: inSettings('secret'),
  previous_origin_secret: inSettings('previousSecret'),
  origin_client_key: inSettings('clientKey'),
} satisfies Record<SecretPlace['kind'], unknown>;

function statementsOf(table: string, key: string, column = 'privateKey') {
  const [secrets, id, secret] = [sql.table(table), sql.ref(key), sql.ref(column)];
  /** As in the index: the length is part of the schema. */
  const prefix = sql<Uint8Array>`substr(${secret}, 1, 9)`;
  return {
    selectNextPrefix: (db: Tables, p: { after: Uint8Array }) => ({
      compile: () =>
        sql<{ prefix: Uint8Array }>`
          select ${prefix} as prefix from ${secrets} where ${prefix} > ${p.after} and ${secret} is not null
          order by ${prefix} limit 1
        `.compile(db),
    }),
    selectSecrets: (db: Tables, p: { prefix: Uint8Array; limit: number }) => ({
      compile: () =>
        sql<{ id: string; bytes: Uint8Array }>`
          select ${id} as id, ${secret} as bytes from ${secrets}
          where ${prefix} = ${p.prefix} and ${secret} is not null limit ${p.limit}
        `.compile(db),
    }),
    selectCount: (db: Tables, p: { prefix: Uint8Array }) => ({
      compile: () =>
        sql<{ count: number | string }>`
          select count(*) as count from ${secrets} where ${prefix} = ${p.prefix} and ${secret} is not null
        `.compile(db),
    }),
    deleteSecrets: (db: Tables, p: { prefix: Uint8Array }) => ({
      compile: () => sql`delete from ${secrets} where ${prefix} = ${p.prefix} and ${secret} is not null`.compile(db),
    }),
    updateSecret: (db: Tables, p: { id: string; bytes: Uint8Array; after: Uint8Array }) => ({
      compile: () =>
        sql`update ${secrets} set ${secret} = ${p.after} where ${id} = ${p.id} and ${secret} = ${p.bytes}`.compile(db),
    }),
  };
}

/** The other settings of the environment stay when a secret is deleted. */
function inSettings(column: 'secret' | 'previousSecret' | 'clientKey') {
  const [table, secret] = [sql.table('originSettings'), sql.ref(column)];
  return {
    ...statementsOf('originSettings', 'environmentId', column),
    deleteSecrets: (db: Tables, p: { prefix: Uint8Array }) => ({
      compile: () => sql`update ${table} set ${secret} = null where substr(${secret}, 1, 9) = ${p.prefix}`.compile(db),
    }),
  };
}

/** Makes certificates due that have a secret of this prefix in the table. What else of them is sealed may still be in use. */
function makeDue(table: 'servedCertificates' | 'certificateOrders') {
  return (db: Tables, p: { prefix: Uint8Array }) => {
    const inUse = sql`exists (
      select 1 from served_certificates
      where served_certificates.hostname = certificates.hostname and substr(private_key, 1, 9) <> ${p.prefix}
    )`;
    return {
      compile: () =>
        sql`
          update certificates set
            state = case when ${inUse} then 'issued' else 'wanted' end, begun = case when ${inUse} then 1 else 0 end,
            next_try_at = 0, leased_until = null, failures = 0, problem = null
          where hostname in (select hostname from ${sql.table(table)} where substr(private_key, 1, 9) = ${p.prefix})
        `.compile(db),
    };
  };
}

const makeOwnersDue = makeDue('servedCertificates');
const makeOrderersDue = makeDue('certificateOrders');
