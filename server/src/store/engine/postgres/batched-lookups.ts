import { sql } from 'kysely';
import type { Domain } from '../../../domain/domain.ts';
import { domainColumns, domainOf } from '../../domain/domain-rows.ts';
import type { Reader, Tables } from '../statement.ts';

/** More would hold up the statements behind it. */
const MOST = 100;
/** At half of the load that saturates, a request costs a quarter less for it (docs/internals/decisions/0061-memory.md). */
const GATHER_MS = 1;

interface Lookup<Key, Found> {
  key: Key;
  resolve(found: Found): void;
  reject(error: unknown): void;
}

/**
 * Looks up the keys of a millisecond together. `lookUp` returns what it found for each key, in their order. For single rows the protocol costs more than the row
 * does.
 */
export function batchedLookups<Key, Found>(lookUp: (keys: Key[]) => Promise<Found[]>): (key: Key) => Promise<Found> {
  let waiting: Lookup<Key, Found>[] = [];

  async function run(batch: Lookup<Key, Found>[]): Promise<void> {
    try {
      const found = await lookUp(batch.map(({ key }) => key));
      for (const [i, { resolve }] of batch.entries()) resolve(found[i] as Found);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function runAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += MOST) run(all.slice(from, from + MOST));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(runAll, GATHER_MS);
      waiting.push({ key, resolve, reject });
    });
}

/** The domain that each workspace has under a name, in their order; null where it has none. */
export async function findDomainsByNames(
  reader: Reader,
  wanted: { workspaceId: string; name: string }[],
): Promise<(Domain | null)[]> {
  const workspaceIds = wanted.map(({ workspaceId }) => workspaceId);
  const names = wanted.map(({ name }) => name);
  const found: (Domain | null)[] = wanted.map(() => null);
  for (const row of await reader.all(selectDomainsByNames, { workspaceIds, names }))
    found[row.position - 1] = domainOf(row);
  return found;
}

function selectDomainsByNames(db: Tables, p: { workspaceIds: string[]; names: string[] }) {
  const wanted = sql<{ workspaceId: string; name: string; position: number }>`
    unnest(${p.workspaceIds}::text[], ${p.names}::text[]) with ordinality`;
  return db
    .selectFrom(wanted.as<'wanted'>(sql`wanted(workspace_id, name, position)`))
    .innerJoin('domains', (join) =>
      join.onRef('domains.workspaceId', '=', 'wanted.workspaceId').onRef('domains.name', '=', 'wanted.name'),
    )
    .select([...domainColumns, 'wanted.position']);
}
