import { compile, type Reader, type Statement, type Tables, type Transaction } from '../engine/statement.ts';
import type { Change, ChangeKind } from '../store.ts';

/**
 * Writes to the change log, by which every cache invalidates `key`, in the transaction that makes the change. Throws for a domain that the write does not invalidate:
 * the caches of this process would serve it as it was, until they read the log.
 */
export function logChange(tx: Transaction, kind: ChangeKind, key: string): void {
  if (kind === 'domain' && !tx.domains.includes(key))
    throw new Error(`a write changes the domain ${key}: its definition has to invalidate that`);
  tx.write(insertChange, { kind, key, at: tx.now });
}

/** Holds one transaction to the change log: what it changes of a domain or a route, it has to log. */
export interface ChangeGuard {
  /** Called with each statement that wrote rows. */
  note(statement: unknown, input: object): void;
  /** Called at the end of the transaction. Throws where a change is not logged: the caches would serve what it changed as it was. */
  check(): void;
}

/**
 * A write of rows that caches hold. A statement that sets the revision to itself only locks the row, and a new domain is in no cache; but the
 * edge caches that a name has no route.
 */
const CACHED =
  /\b(?:update "(domains|routes)" set (?!"revision" = "revision")|delete from "(domains|routes)"|insert into "(routes)")/;

const cachedTables = new Map<unknown, string | undefined>();

/** The table that caches hold and the statement writes. */
function cachedTableOf(db: Tables, statement: unknown): string | undefined {
  if (!cachedTables.has(statement)) {
    const [, ...tables] = CACHED.exec(compile(db, statement as Statement<object, unknown>).sql) ?? [];
    cachedTables.set(statement, tables.find(Boolean));
  }
  return cachedTables.get(statement);
}

/** `db` compiles the statements. Those that write `domains` name the domain by their `id`. */
export function guardChanges(db: Tables): ChangeGuard {
  const changed: string[] = [];
  const logged: string[] = [];
  return {
    note(statement, input: { id?: string; kind?: string; key?: string }) {
      if (statement === insertChange) {
        logged.push(input.kind === 'domain' ? `domain ${input.key}` : `${input.kind}`);
        return;
      }
      const table = cachedTableOf(db, statement);
      if (table !== undefined) changed.push(table === 'domains' ? `domain ${input.id}` : 'route');
    },
    check() {
      const unlogged = changed.find((change) => !logged.includes(change));
      if (unlogged !== undefined)
        throw new Error(`a write changes the ${unlogged}, and does not log it: call logChange`);
    },
  };
}

/** For an engine with one writer, where no transaction is in flight that began before the newest change. */
export async function changesSince(reader: Reader, seq: number) {
  return { ...changeLogAfter(seq, await reader.all(selectChanges, { seq })), inFlight: [] };
}

/** The rows of `selectChanges`, as `ChangeStore.changesSince` returns them. */
export function changeLogAfter(seq: number, rows: LogRow[]) {
  const changes: Change[] = [];
  for (const { seq, kind, key } of rows) {
    if (seq !== null && kind !== null && key !== null) changes.push({ seq, kind, key });
  }
  const oldest = rows[0]?.oldest ?? 0;
  return { changes, latest: rows[0]?.latest ?? 0, truncated: oldest > seq + 1 };
}

export async function pruneChanges(tx: Transaction, before: number): Promise<void> {
  await tx.execute(deleteChanges, { before });
}

export function insertChange(db: Tables, p: { kind: ChangeKind; key: string; at: number }) {
  return db.insertInto('changes').values({ kind: p.kind, key: p.key, createdAt: p.at });
}

interface LogRow {
  oldest: number | null;
  latest: number | null;
  seq: number | null;
  kind: ChangeKind | null;
  key: string | null;
}

/**
 * One statement, so that the head and the rows are of one snapshot. Without rows after `seq` it returns one row, of nulls. The ends of the log
 * are selected one by one, since SQLite would scan all of it for both at once.
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

/** From the oldest row on, and never the newest: by these two `changesSince` finds what is missing. */
function deleteChanges(db: Tables, p: { before: number }) {
  return db.deleteFrom('changes').where('seq', '<', (of) =>
    of.selectFrom('changes').select((c) =>
      c.fn
        .coalesce(
          c
            .selectFrom('changes')
            .where('createdAt', '>=', p.before)
            .select((r) => r.fn.min('seq').as('kept')),
          c.fn.max('seq'),
        )
        .as('kept'),
    ),
  );
}
