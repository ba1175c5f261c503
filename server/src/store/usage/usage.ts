import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { paged, pageSlots } from '../engine/paging.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Paged, PageRequest } from '../store.ts';
import {
  addCounts,
  addToSlot,
  chunkOf,
  DAY_MS,
  HOUR_MS,
  noUsage,
  packSlots,
  positionOf,
  readSlot,
  type Slots,
  slotOf,
  unpackSlots,
} from './packed-counts.ts';
import {
  type DomainUsage,
  MOST_NUMBERED,
  type UsageDomain,
  type UsageHour,
  type UsageRange,
  type UsageWrite,
} from './usage-store.ts';

/** Writers that have been silent for so long have ended. */
const WRITERS_KEPT_MS = 7 * DAY_MS;
/** Days that ended earlier are packed already. */
const PACKED_WITHIN_MS = 2 * DAY_MS;

export async function numberUsageDomains(tx: Transaction, domainIds: readonly string[]): Promise<(number | null)[]> {
  const find = async () =>
    new Map((await tx.all(selectNumbers, idSlots(domainIds))).map(({ domainId, number }) => [domainId, number]));
  let found = await find();
  const missing = domainIds.filter((id) => !found.has(id));
  if (missing.length > 0) {
    for (const domainId of missing) tx.write(insertNumber, { domainId });
    found = await find();
  }
  return domainIds.map((id) => found.get(id) ?? null);
}

/** A deleted domain keeps its usage: what is not written yet as well. */
export function endUsage(
  tx: Transaction,
  { id, workspaceId, environmentId }: { id: string; workspaceId: string; environmentId: string },
  at: number,
): void {
  tx.write(upsertDeleted, { domainId: id, workspaceId, environmentId, deletedAt: at });
}

export async function addUsage(tx: Transaction, write: UsageWrite): Promise<void> {
  const { writer, sequence, hour, domains, counts } = write;
  if ((await tx.execute(upsertWriter, { id: writer, lastWrite: sequence, writtenAt: tx.now })) === 0) return;
  const chunks = [chunkOf(domains[0] ?? 0), chunkOf(domains.at(-1) ?? 0)] as const;
  const before = await tx.all(selectRowsOfHour, { startsAt: hour, first: chunks[0], last: chunks[1] });
  const packed = new Map(before.map((row) => [row.chunk, row.counts]));
  const added = new Map<number, Slots>();
  domains.forEach((domain, i) => {
    const chunk = chunkOf(domain);
    let slots = added.get(chunk);
    if (slots === undefined) {
      const row = packed.get(chunk);
      slots = row === undefined ? new Map() : unpackSlots(row);
      added.set(chunk, slots);
    }
    addToSlot(slots, slotOf(domain, hour, hour), counts[i] ?? noUsage());
  });
  for (const [chunk, slots] of added) tx.write(upsertRow, { chunk, startsAt: hour, counts: packSlots(slots) });
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
  const hours: Slots = new Map();
  await forEachHour(reader, chunkOf(number), range, (position, hour, counts) => {
    if (position === positionOf(number)) addToSlot(hours, hour, counts);
  });
  return [...hours].sort(([a], [b]) => a - b).map(([hour, counts]) => ({ hour, ...counts }));
}

export async function listUsage(
  reader: Reader,
  workspaceId: string,
  range: UsageRange,
  page: PageRequest,
): Promise<Paged<DomainUsage>> {
  const rows = await reader.all(selectUsageDomains, { workspaceId, ...pageSlots(page) });
  const { items, ...rest } = paged(rows, page);
  const sums = new Map(items.map(({ number }) => [number, noUsage()]));
  for (const chunk of new Set(items.map(({ number }) => chunkOf(number)))) {
    const ofChunk = new Map(
      [...sums].flatMap(([number, sum]) => (chunkOf(number) === chunk ? [[positionOf(number), sum] as const] : [])),
    );
    await forEachHour(reader, chunk, range, (position, _, counts) => {
      const sum = ofChunk.get(position);
      if (sum !== undefined) addCounts(sum, counts);
    });
  }
  const used = items.map(({ id, domain, number }) => ({ domainId: id, domain, ...(sums.get(number) ?? noUsage()) }));
  return { ...rest, items: used.filter(({ requests, bytesIn, bytesOut }) => requests + bytesIn + bytesOut > 0) };
}

/** Calls `each` with every hour of a chunk in the range. SQLite reads in the API's thread, so other requests run between two days. */
async function forEachHour(
  reader: Reader,
  chunk: number,
  { from, to }: UsageRange,
  each: (position: number, hour: number, counts: UsageHour | Omit<UsageHour, 'hour'>) => void,
): Promise<void> {
  for (const row of await reader.all(selectRows, { chunk, from: startOfDay(from), to })) {
    for (const [slot, counts] of unpackSlots(row.counts)) {
      const { position, hour } = readSlot(slot, row.startsAt);
      if (hour >= from && hour < to) each(position, hour, counts);
    }
    await setImmediate();
  }
}

export async function packUsage(tx: Transaction, endedBefore: number, limit: number): Promise<number> {
  const to = startOfDay(endedBefore);
  const unpacked = await tx.all(selectUnpacked, { from: to - PACKED_WITHIN_MS, to, limit });
  const days = new Map(unpacked.map((row) => [`${row.chunk} ${startOfDay(row.startsAt)}`, row]));
  for (const { chunk, startsAt } of days.values()) await packDay(tx, chunk, startOfDay(startsAt));
  return unpacked.length;
}

/** Replaces the rows of a day by one. */
async function packDay(tx: Transaction, chunk: number, day: number): Promise<void> {
  const packed: Slots = new Map();
  const dayRange = { chunk, from: day, to: day + DAY_MS };
  for (const row of await tx.all(selectRows, dayRange)) {
    const offset = (row.startsAt - day) / HOUR_MS;
    for (const [slot, counts] of unpackSlots(row.counts)) addToSlot(packed, slot + offset, counts);
  }
  await tx.execute(deleteRows, dayRange);
  await tx.execute(upsertRow, { chunk, startsAt: day, counts: packSlots(packed) });
}

export async function pruneUsage(tx: Transaction, before: number, limit: number): Promise<number> {
  await tx.execute(deleteWriters, { before: tx.now - WRITERS_KEPT_MS });
  const rows = await tx.execute(deleteOldRows, { before: startOfDay(before), limit });
  return rows + (await tx.execute(deleteNumbers, { before, limit: limit - rows }));
}

function startOfDay(at: number): number {
  return at - (at % DAY_MS);
}

/** One statement for any number of ids, up to the most. */
type IdSlots = Record<`id${number}`, string>;

function idSlots(ids: readonly string[]): IdSlots {
  return Object.fromEntries(Array.from({ length: MOST_NUMBERED }, (_, i) => [`id${i}`, ids[i] ?? '']));
}

function selectNumbers(db: Tables, p: IdSlots) {
  const ids = Array.from({ length: MOST_NUMBERED }, (_, i) => p[`id${i}`] ?? '');
  return db.selectFrom('usageDomains').where('domainId', 'in', ids).select(['domainId', 'seq as number']);
}

function insertNumber(db: Tables, p: { domainId: string }) {
  return db
    .insertInto('usageDomains')
    .columns(['domainId', 'workspaceId', 'environmentId'])
    .expression((of) =>
      of.selectFrom('domains').where('id', '=', p.domainId).select(['id', 'workspaceId', 'environmentId']),
    )
    .onConflict((on) => on.column('domainId').doNothing());
}

function upsertDeleted(
  db: Tables,
  p: { domainId: string; workspaceId: string; environmentId: string; deletedAt: number },
) {
  return db
    .insertInto('usageDomains')
    .values(pick(p, ['domainId', 'workspaceId', 'environmentId', 'deletedAt']))
    .onConflict((on) => on.column('domainId').doUpdateSet(pick(p, ['environmentId', 'deletedAt'])));
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

function selectRowsOfHour(db: Tables, p: { startsAt: number; first: number; last: number }) {
  return db
    .selectFrom('usageCounts')
    .where('startsAt', '=', p.startsAt)
    .where('chunk', '>=', p.first)
    .where('chunk', '<=', p.last)
    .select(['chunk', 'counts']);
}

function upsertRow(db: Tables, p: { chunk: number; startsAt: number; counts: Uint8Array }) {
  return db
    .insertInto('usageCounts')
    .values(pick(p, ['chunk', 'startsAt', 'counts']))
    .onConflict((on) => on.columns(['chunk', 'startsAt']).doUpdateSet({ counts: p.counts }));
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

function selectUsageDomains(db: Tables, p: { workspaceId: string; from: string; rows: number }) {
  return db
    .selectFrom('usageDomains')
    .leftJoin('domains', 'domains.id', 'usageDomains.domainId')
    .where('usageDomains.workspaceId', '=', p.workspaceId)
    .where('usageDomains.domainId', '>=', p.from)
    .orderBy('usageDomains.domainId')
    .limit(p.rows)
    .select(['usageDomains.domainId as id', 'usageDomains.seq as number', 'domains.name as domain']);
}

interface ChunkRange {
  chunk: number;
  from: number;
  to: number;
}

function selectRows(db: Tables, p: ChunkRange) {
  return db
    .selectFrom('usageCounts')
    .where('chunk', '=', p.chunk)
    .where('startsAt', '>=', p.from)
    .where('startsAt', '<', p.to)
    .select(['startsAt', 'counts']);
}

function deleteRows(db: Tables, p: ChunkRange) {
  return db
    .deleteFrom('usageCounts')
    .where('chunk', '=', p.chunk)
    .where('startsAt', '>=', p.from)
    .where('startsAt', '<', p.to);
}

/** Rows of single hours, but for the first of a day: that becomes the row of the day. */
function selectUnpacked(db: Tables, p: { from: number; to: number; limit: number }) {
  return db
    .selectFrom('usageCounts')
    .where('startsAt', '>=', p.from)
    .where('startsAt', '<', p.to)
    .where(sql<boolean>`starts_at % ${sql.lit(DAY_MS)} <> 0`)
    .orderBy('startsAt')
    .orderBy('chunk')
    .limit(p.limit)
    .select(['startsAt', 'chunk']);
}

function deleteOldRows(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('usageCounts')
    .where('seq', 'in', (of) =>
      of.selectFrom('usageCounts').where('startsAt', '<', p.before).orderBy('startsAt').limit(p.limit).select('seq'),
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
