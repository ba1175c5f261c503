import { sql } from 'kysely';
import type { SecretPlace, StoredSecret } from '../contract/store.ts';
import type { Reader, Tables, Transaction } from './statement.ts';

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

/** The statements of each kind of secret. */
const places = {
  certificate: statementsOf('served_certificates', 'hostname'),
  inherited_certificate: statementsOf('inherited_certificates', 'hostname'),
  deleted_certificate: statementsOf('deleted_certificates', 'hostname'),
  order: statementsOf('certificate_orders', 'hostname'),
  account: statementsOf('ca_accounts', 'issuer'),
  signing_key: statementsOf('signing_keys', 'id'),
  idempotency_key: statementsOf('idempotency_keys', 'id', 'secret'),
  webhook_secret: statementsOf('webhook_secrets', 'id', 'secret'),
} satisfies Record<SecretPlace['kind'], unknown>;

function statementsOf(table: string, key: string, column = 'private_key') {
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
    updateSecret: (db: Tables, p: { id: string; bytes: Uint8Array; after: Uint8Array }) => ({
      compile: () =>
        sql`update ${secrets} set ${secret} = ${p.after} where ${id} = ${p.id} and ${secret} = ${p.bytes}`.compile(db),
    }),
  };
}
