import type { Change, ChangeKind } from '../contract/store.ts';
import type { Reading, Tables, Writing } from './query.ts';

/** Tells every cache to forget `key`, in the transaction that makes it so. */
export async function announce(run: Writing, kind: ChangeKind, key: string): Promise<void> {
  await run.change(insertChange, { kind, key, at: run.askedAt });
}

/** For an engine with one writer: all that was begun before the newest change has ended. */
export async function changesSince(run: Reading, seq: number) {
  return { ...logAfter(seq, await run.all(selectChanges, { seq })), underWay: [] };
}

/** What `selectChanges` has found. */
export function logAfter(seq: number, rows: LogRow[]) {
  const changes: Change[] = [];
  for (const { seq, kind, key } of rows) {
    if (seq !== null && kind !== null && key !== null) changes.push({ seq, kind, key });
  }
  const oldest = rows[0]?.oldest ?? 0;
  return { changes, latest: rows[0]?.latest ?? 0, truncated: oldest > seq + 1 };
}

export async function pruneChanges(run: Writing, before: number): Promise<void> {
  await run.change(deleteChanges, { before });
}

export function insertChange(db: Tables, p: { kind: ChangeKind; key: string; at: number }) {
  return db.insertInto('changes').values({ kind: p.kind, key: p.key, created_at: p.at });
}

interface LogRow {
  oldest: number | null;
  latest: number | null;
  seq: number | null;
  kind: ChangeKind | null;
  key: string | null;
}

/**
 * One statement, so that the head and the rows are of one moment. Without rows after `seq` it gives one row, of nulls. The ends of the log
 * are asked for one by one, since SQLite reads the whole of it for both at once.
 */
export function selectChanges(db: Tables, p: { seq: number }) {
  const head = db.selectNoFrom((of) => [
    of
      .selectFrom('changes')
      .select((c) => c.fn.min('seq').as('seq'))
      .as('oldest'),
    of
      .selectFrom('changes')
      .select((c) => c.fn.max('seq').as('seq'))
      .as('latest'),
  ]);
  return db
    .selectFrom(head.as('head'))
    .leftJoin('changes', (join) => join.on('changes.seq', '>', p.seq))
    .select(['head.oldest', 'head.latest', 'changes.seq', 'changes.kind', 'changes.key'])
    .orderBy('changes.seq');
}

/** Only ever a beginning of the log, and never its newest row: by these two `changesSince` knows what is missing. */
function deleteChanges(db: Tables, p: { before: number }) {
  return db.deleteFrom('changes').where('seq', '<', (of) =>
    of.selectFrom('changes').select((c) =>
      c.fn
        .coalesce(
          c
            .selectFrom('changes')
            .where('created_at', '>=', p.before)
            .select((r) => r.fn.min('seq').as('kept')),
          c.fn.max('seq'),
        )
        .as('kept'),
    ),
  );
}
