import { isDeepStrictEqual } from 'node:util';
import type { PostgresAddress } from '../engine/postgres/postgres-connection.ts';
import { StoreUnavailable } from '../store.ts';
import { type CopyTarget, openTarget } from './postgres-target.ts';
import { type CopySource, openSource } from './sqlite-source.ts';

export interface CopyProgress {
  phase: 'copying' | 'comparing';
  /** Rows. */
  done: number;
  total: number;
}

export interface CopiedTable {
  table: string;
  /** Rows in the source. */
  source: number;
  /** Rows in the target. */
  target: number;
}

export interface Copied {
  tables: CopiedTable[];
  /** The target, as the roles name it that serve it; none: the role that copied does. */
  serving: string[];
}

/** Rows in one INSERT, and in one FETCH. PostgreSQL takes 65,535 values in a statement. */
const BATCH_ROWS = 1000;

/**
 * Copies every row of an SQLite file to an empty PostgreSQL database, reads all of it back and compares each field, in one transaction: a copy
 * that fails or is killed leaves the target empty. Both are locked meanwhile. Rejects with `StoreUnavailable`, or with the reason of the signal,
 * which ends everything but the commit at once.
 */
export async function copyStore(
  path: string,
  address: PostgresAddress,
  onProgress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Copied> {
  const source = await openSource(path);
  try {
    const target = await openTarget(address, source.tables, signal);
    try {
      const { name } = target;
      const tables = await copyRows(source, target, onProgress).catch(
        withAdvice(`nothing was copied, and ${name} is still empty: run the same command again`),
      );
      const serving = await target.listServing();
      await target
        .commit(source.lastNumbers)
        .catch(withAdvice(`run the same command again: if it finds rows in ${name}, the copy is complete`));
      return { tables, serving };
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

async function copyRows(
  source: CopySource,
  target: CopyTarget,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedTable[]> {
  const counts = new Map(source.tables.map((table) => [table, source.count(table)]));
  const total = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
  let done = 0;
  onProgress({ phase: 'copying', done, total });
  for (const table of source.tables) {
    for (const rows of source.batches(table, BATCH_ROWS)) {
      await target.insert(table, rows);
      done += rows.length;
      onProgress({ phase: 'copying', done, total });
    }
  }
  const copied: CopiedTable[] = [];
  done = 0;
  onProgress({ phase: 'comparing', done, total });
  for (const table of source.tables) {
    const cursor = await target.openCursor(table);
    let fetched = 0;
    for (const rows of source.batches(table, BATCH_ROWS)) {
      const written = await cursor.fetch(BATCH_ROWS);
      if (!isDeepStrictEqual(written, rows)) throw differs(target, table.name);
      fetched += written.length;
      done += rows.length;
      onProgress({ phase: 'comparing', done, total });
    }
    if ((await cursor.fetch(1)).length > 0) throw differs(target, table.name);
    await cursor.close();
    copied.push({ table: table.name, source: counts.get(table) ?? 0, target: fetched });
  }
  return copied;
}

function differs({ name }: CopyTarget, table: string): StoreUnavailable {
  return new StoreUnavailable(
    `the rows of the table "${table}" read back from ${name} are not those that were written`,
  );
}

function withAdvice(advice: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof StoreUnavailable
      ? new StoreUnavailable(`${error.message}; ${advice}`, { cause: error })
      : error;
  };
}
