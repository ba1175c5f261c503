import { sql } from 'kysely';
import type { SecretPlace, StoredSecret } from '../contract/store.ts';
import type { Reader, Tables, Transaction } from './statement.ts';

/** As in the index: the length is part of the schema. */
const PREFIX = sql<Uint8Array>`substr(private_key, 1, 9)`;

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
  order: statementsOf('certificate_orders', 'hostname'),
  account: statementsOf('ca_accounts', 'issuer'),
  signing_key: statementsOf('signing_keys', 'id'),
} satisfies Record<SecretPlace['kind'], unknown>;

function statementsOf(table: string, key: string) {
  const [secrets, id] = [sql.table(table), sql.ref(key)];
  return {
    selectNextPrefix: (db: Tables, p: { after: Uint8Array }) => ({
      compile: () =>
        sql<{ prefix: Uint8Array }>`
          select ${PREFIX} as prefix from ${secrets} where ${PREFIX} > ${p.after} order by ${PREFIX} limit 1
        `.compile(db),
    }),
    selectSecrets: (db: Tables, p: { prefix: Uint8Array; limit: number }) => ({
      compile: () =>
        sql<{ id: string; bytes: Uint8Array }>`
          select ${id} as id, private_key as bytes from ${secrets} where ${PREFIX} = ${p.prefix} limit ${p.limit}
        `.compile(db),
    }),
    updateSecret: (db: Tables, p: { id: string; bytes: Uint8Array; after: Uint8Array }) => ({
      compile: () =>
        sql`update ${secrets} set private_key = ${p.after} where ${id} = ${p.id} and private_key = ${p.bytes}`.compile(
          db,
        ),
    }),
  };
}
