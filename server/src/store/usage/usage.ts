import { setImmediate } from 'node:timers/promises';
import { paged } from '../engine/paging.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Paged, PageRequest } from '../store.ts';
import { pack, unpack } from './usage-chunks.ts';
import {
  addChunk,
  addCounts,
  type ChunkCounts,
  chunkOf,
  countsOf,
  type DomainUsage,
  hasUsage,
  noUsage,
  type UsageDomain,
  type UsageHour,
  type UsageRange,
  type UsageWrite,
} from './usage-store.ts';

/** Writers that have been silent for so long have ended. */
const WRITERS_KEPT_MS = 7 * 86_400_000;
/** Rows that are unpacked in one turn: a few milliseconds. */
const ROWS_AT_ONCE = 50;
/** Chunks that a page of sums reads: those of a workspace whose domains are far apart would take seconds. */
const CHUNKS_A_PAGE = 8;

interface Owned {
  id: string;
  workspaceId: string;
  environmentId: string;
}

/** Numbers a domain that is served from now on. It keeps the number for good, so that its usage is that of one domain. */
export function beginUsage(tx: Transaction, domain: Owned): void {
  tx.write(insertNumber, domain);
}

/** A deleted domain keeps its usage, for bills. */
export function endUsage(tx: Transaction, { id, environmentId }: Owned, at: number): void {
  tx.write(updateDeleted, { domainId: id, environmentId, deletedAt: at });
}

export async function addUsage(tx: Transaction, { writer, sequence, hour, chunks }: UsageWrite): Promise<void> {
  if ((await tx.execute(upsertWriter, { id: writer, lastWrite: sequence, writtenAt: tx.now })) === 0) return;
  for (const [chunk, added] of chunks) {
    const row = await tx.one(selectRow, { startsAt: hour, chunk });
    const counts = row === null ? added : unpack(row.counts);
    if (row !== null) addChunk(counts, added);
    tx.write(upsertRow, { startsAt: hour, chunk, counts: pack(counts) });
  }
}

export async function findUsageDomain(
  reader: Reader,
  workspaceId: string,
  idOrName: string,
): Promise<UsageDomain | null> {
  const key = { workspaceId, key: idOrName };
  const there = (await reader.one(selectByName, key)) ?? (await reader.one(selectById, key));
  if (there !== null) return there;
  const deleted = await reader.one(selectDeleted, key);
  return deleted && { ...deleted, domain: null };
}

export async function findUsage(reader: Reader, number: number, range: UsageRange): Promise<UsageHour[]> {
  const hours: UsageHour[] = [];
  await forEachHour(reader, chunkOf(number), range, (chunk, hour) => {
    const counts = countsOf(chunk, number);
    if (hasUsage(counts)) hours.push({ hour, ...counts });
  });
  return hours;
}

export async function listUsage(
  reader: Reader,
  workspaceId: string,
  range: UsageRange,
  { limit, cursor = '0' }: PageRequest,
): Promise<Paged<DomainUsage>> {
  const from = /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.MAX_SAFE_INTEGER;
  const rows = await reader.all(selectUsageDomains, { workspaceId, from, rows: limit + 1 });
  const chunks = new Set<number>();
  const tooFar = rows.findIndex(({ number }) => chunks.add(chunkOf(number)).size > CHUNKS_A_PAGE);
  const numbered = rows.map((row) => ({ ...row, id: String(row.number) }));
  const page = paged(numbered, { limit: tooFar === -1 ? limit : Math.min(limit, tooFar) });
  const sums = page.items.map(({ number, domainId, domain }) => ({
    number,
    shown: { domainId, domain, ...noUsage() },
  }));
  for (const chunk of new Set(sums.map(({ number }) => chunkOf(number)))) {
    const ofChunk = sums.filter(({ number }) => chunkOf(number) === chunk);
    await forEachHour(reader, chunk, range, (counts) => {
      for (const { number, shown } of ofChunk) addCounts(shown, countsOf(counts, number));
    });
  }
  return { ...page, items: sums.map(({ shown }) => shown).filter(hasUsage) };
}

/** Calls `each` with a chunk's hours in the range, in order. SQLite reads in the API's thread, so other requests run between two turns. */
async function forEachHour(
  reader: Reader,
  chunk: number,
  { from, to }: UsageRange,
  each: (counts: ChunkCounts, hour: number) => void,
): Promise<void> {
  for (let next: number | null = from; next !== null; ) {
    const rows: { startsAt: number; counts: Uint8Array }[] = await reader.all(selectRows, {
      chunk,
      from: next,
      to,
      rows: ROWS_AT_ONCE,
    });
    for (const { startsAt, counts } of rows) each(unpack(counts), startsAt);
    next = rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.startsAt ?? 0) + 1;
    await setImmediate();
  }
}

export async function pruneUsage(tx: Transaction, before: number, limit: number): Promise<number> {
  await tx.execute(deleteWriters, { before: tx.now - WRITERS_KEPT_MS });
  const rows = await tx.execute(deleteOldestHour, { before });
  return rows + (await tx.execute(deleteNumbers, { before, limit }));
}

function insertNumber(db: Tables, p: Owned) {
  return db
    .insertInto('usageDomains')
    .values({ domainId: p.id, ...pick(p, ['workspaceId', 'environmentId']) })
    .onConflict((on) => on.column('domainId').doNothing());
}

function updateDeleted(db: Tables, p: { domainId: string; environmentId: string; deletedAt: number }) {
  return db
    .updateTable('usageDomains')
    .where('domainId', '=', p.domainId)
    .set(pick(p, ['environmentId', 'deletedAt']));
}

function upsertWriter(db: Tables, p: { id: string; lastWrite: number; writtenAt: number }) {
  return db
    .insertInto('usageWriters')
    .values(pick(p, ['id', 'lastWrite', 'writtenAt']))
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet(pick(p, ['lastWrite', 'writtenAt']))
        .where('usageWriters.lastWrite', '<', p.lastWrite),
    );
}

function selectRow(db: Tables, p: { startsAt: number; chunk: number }) {
  return db.selectFrom('usageCounts').where('startsAt', '=', p.startsAt).where('chunk', '=', p.chunk).select('counts');
}

function upsertRow(db: Tables, p: { startsAt: number; chunk: number; counts: Uint8Array }) {
  return db
    .insertInto('usageCounts')
    .values(pick(p, ['startsAt', 'chunk', 'counts']))
    .onConflict((on) => on.columns(['startsAt', 'chunk']).doUpdateSet({ counts: p.counts }));
}

interface DomainKey {
  workspaceId: string;
  key: string;
}

function selectThere(db: Tables, p: DomainKey) {
  return db
    .selectFrom('domains')
    .leftJoin('usageDomains', 'usageDomains.domainId', 'domains.id')
    .where('domains.workspaceId', '=', p.workspaceId)
    .select([
      'domains.id as domainId',
      'domains.name as domain',
      'domains.environmentId',
      'usageDomains.seq as number',
    ]);
}

function selectByName(db: Tables, p: DomainKey) {
  return selectThere(db, p).where('domains.name', '=', p.key);
}

function selectById(db: Tables, p: DomainKey) {
  return selectThere(db, p).where('domains.id', '=', p.key);
}

function selectDeleted(db: Tables, p: DomainKey) {
  return db
    .selectFrom('usageDomains')
    .where('workspaceId', '=', p.workspaceId)
    .where('domainId', '=', p.key)
    .select(['domainId', 'environmentId', 'seq as number']);
}

function selectUsageDomains(db: Tables, p: { workspaceId: string; from: number; rows: number }) {
  return db
    .selectFrom('usageDomains')
    .leftJoin('domains', 'domains.id', 'usageDomains.domainId')
    .where('usageDomains.workspaceId', '=', p.workspaceId)
    .where('usageDomains.seq', '>=', p.from)
    .orderBy('usageDomains.seq')
    .limit(p.rows)
    .select(['usageDomains.domainId', 'usageDomains.seq as number', 'domains.name as domain']);
}

function selectRows(db: Tables, p: UsageRange & { chunk: number; rows: number }) {
  return db
    .selectFrom('usageCounts')
    .where('chunk', '=', p.chunk)
    .where('startsAt', '>=', p.from)
    .where('startsAt', '<', p.to)
    .orderBy('startsAt')
    .limit(p.rows)
    .select(['startsAt', 'counts']);
}

function deleteOldestHour(db: Tables, p: { before: number }) {
  return db.deleteFrom('usageCounts').where('startsAt', '=', (of) =>
    of
      .selectFrom('usageCounts')
      .where('startsAt', '<', p.before)
      .select(({ fn }) => fn.min('startsAt').as('oldest')),
  );
}

/** Numbers are kept of domains that were restored. */
function deleteNumbers(db: Tables, p: { before: number; limit: number }) {
  return db.deleteFrom('usageDomains').where('seq', 'in', (of) =>
    of
      .selectFrom('usageDomains')
      .where('deletedAt', '<', p.before)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('domains').whereRef('domains.id', '=', 'usageDomains.domainId').select('domains.id'))),
      )
      .orderBy('deletedAt')
      .limit(p.limit)
      .select('seq'),
  );
}

function deleteWriters(db: Tables, p: { before: number }) {
  return db.deleteFrom('usageWriters').where('writtenAt', '<', p.before);
}
