import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { AuditEntry, AuditFilter, Author, Paged, PageRequest } from '../store.ts';

/** The thing that was changed. */
export interface AuditTarget extends Pick<AuditEntry, 'workspaceId' | 'target'> {
  targetName?: string | null;
  detail?: Record<string, unknown>;
}

/** Adds an entry, in the transaction of the change. Nobody waits for it. */
export function recordEntry(tx: Transaction, by: Author, about: AuditTarget): void {
  const { workspaceId, target, targetName = null, detail = {} } = about;
  const { kind, action, requestId } = by;
  tx.write(insertEntry, {
    id: tx.newId('aud'),
    workspaceId,
    kind,
    actor: storableActor(by.actor) ?? '',
    action,
    from: storableActor(by.from) ?? '',
    requestId,
    target,
    targetName: storableActor(targetName),
    detail: JSON.stringify(detail),
    at: tx.now,
  });
}

/** Rows that one page looks at: a few milliseconds. */
const MOST = 2000;

export async function listAuditEntries(
  reader: Reader,
  workspaceId: string | undefined,
  { limit, cursor, ...filter }: PageRequest & AuditFilter,
): Promise<Paged<AuditEntry>> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const scanned = isFiltered ? MOST : limit + 1;
  const slots = { before: seqOf(cursor), rows: scanned };
  const rows =
    workspaceId === undefined
      ? await reader.all(selectEntries, slots)
      : await reader.all(selectEntriesOfWorkspace, { ...slots, workspaceId });
  const matching = rows.filter((row) => matches(row, filter));
  const shown = matching.slice(0, limit);
  const last = matching.length > limit ? shown.at(-1) : rows.length === scanned ? rows.at(-1) : undefined;
  const items = shown.map(toEntry);
  return last === undefined ? { items } : { items, next: String(last.seq) };
}

export async function pruneAuditEntries(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.execute(deleteEntries, { before, limit });
}

type EntryRow = Omit<AuditEntry, 'detail'> & { seq: number; detail: string };

function matches({ actor, action, target, targetName }: EntryRow, filter: AuditFilter): boolean {
  return (
    (filter.actor === undefined || filter.actor === actor) &&
    (filter.action === undefined || filter.action === action) &&
    (filter.target === undefined || filter.target === target || filter.target === targetName)
  );
}

function toEntry({ seq: _, detail, ...entry }: EntryRow): AuditEntry {
  return { ...entry, detail: JSON.parse(detail) };
}

/** Cursors are numbers of entries; others are before all of them. */
function seqOf(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;
}

const ENTRY = ['id', 'workspaceId', 'kind', 'actor', 'action', 'requestId', 'target', 'targetName', 'detail'] as const;
const columns = [...ENTRY, 'seq', 'source as from', 'createdAt as at'] as const;

function insertEntry(db: Tables, p: Omit<EntryRow, 'seq'>) {
  return db.insertInto('auditEntries').values({ ...pick(p, ENTRY), source: p.from, createdAt: p.at });
}

function selectEntries(db: Tables, p: { before: number; rows: number }) {
  return db.selectFrom('auditEntries').where('seq', '<', p.before).orderBy('seq', 'desc').limit(p.rows).select(columns);
}

function selectEntriesOfWorkspace(db: Tables, p: { before: number; rows: number; workspaceId: string }) {
  return selectEntries(db, p).where('workspaceId', '=', p.workspaceId);
}

function deleteEntries(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('auditEntries')
    .where('seq', 'in', (of) =>
      of.selectFrom('auditEntries').where('createdAt', '<', p.before).orderBy('createdAt').limit(p.limit).select('seq'),
    );
}

// The details of entries, by the kind of thing.

export function ofWorkspace(id: string, detail: Record<string, unknown> = {}): AuditTarget {
  return { workspaceId: id, target: id, detail };
}

export function ofTree({ id, workspaceId, slug }: { id: string; workspaceId: string; slug: string }): AuditTarget {
  return { workspaceId, target: id, targetName: slug };
}

export function ofDomain({ id, workspaceId, name }: { id: string; workspaceId: string; name: string }): AuditTarget {
  return { workspaceId, target: id, targetName: name };
}

const MAX_CHARACTERS = 255;

/** Who did something, as it can be stored: the subject of a dashboard token is any text, and PostgreSQL cannot keep U+0000. */
export function storableActor(actor: string | null): string | null {
  return actor === null ? null : actor.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
}
