import { sql } from 'kysely';
import type { RecordsSeen } from '../../domain/check-result.ts';
import type { Domain } from '../../domain/domain.ts';
import type { DomainEventType } from '../../domain/domain-event.ts';
import type { Finding } from '../../domain/finding.ts';
import { storableActor } from '../audit/entries.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';
import type { DomainEvent, DomainEventData, Paged } from '../store.ts';
import { addDeliveries, selectSubscribers, subscriptionTo } from '../webhook/outbox.ts';

type EventDetails = Pick<
  DomainEventData,
  'record' | 'seen' | 'findings' | 'certificate' | 'redirect' | 'move' | 'deletion' | 'suspension' | 'live'
> & {
  /** The domain after all changes of the transaction, for webhooks; absent: it is `domain`. */
  afterAll?: Domain;
};

/** Adds an event to the timeline, and to the outbox of webhooks: the domain after the change, and what changed. */
export async function recordEvent(
  tx: Transaction,
  type: DomainEventType,
  domain: Domain,
  at: number,
  { afterAll = domain, ...details }: EventDetails = {},
): Promise<void> {
  const data: DomainEventData = {
    name: domain.name,
    environmentId: domain.environmentId,
    status: domain.status,
    routingVerified: domain.routingVerifiedAt !== null,
    ownershipVerified: domain.ownershipVerifiedAt !== null,
    verificationError: domain.verificationError,
    ...details,
  };
  const { id: domainId, workspaceId } = domain;
  const actor = storableActor(tx.actor);
  const event = { id: tx.newId('evt'), domainId, workspaceId, type, data: JSON.stringify(data), actor, at };
  const webhookIds = await insertAndFindWebhooks(tx, { ...event, subscription: subscriptionTo(type) });
  if (webhookIds.length === 0) return;
  const message = { domain: afterAll, actor, ...details };
  addDeliveries(tx, webhookIds, { eventId: event.id, type, message, at });
}

/** Without a round trip more: SQLite's `returning` costs more than a second statement (docs/internals/decisions/0029-webhooks.md). */
async function insertAndFindWebhooks(tx: Transaction, event: NewEvent): Promise<string[]> {
  if (tx.isLocal) {
    await tx.execute(insertEvent, event);
    return (await tx.all(selectSubscribers, event)).map(({ id }) => id);
  }
  return (await tx.one(insertEventReturning, event))?.webhookIds?.split(',') ?? [];
}

interface FlagChange {
  before: Domain;
  after: Domain;
  seen?: RecordsSeen | undefined;
  findings?: Finding[] | undefined;
  at: number;
}

/** Adds an event for each flag in which `after` differs from `before`. */
export async function recordFlags(
  tx: Transaction,
  { before, after, seen = {}, findings, at }: FlagChange,
): Promise<void> {
  // A change of the status has an event of its own, which follows.
  let domain = after.status === before.status || after.status === 'verifying' ? after : before;
  const { ownershipVerifiedAt, routingVerifiedAt } = before;
  domain = { ...domain, ownershipVerifiedAt, routingVerifiedAt };
  for (const record of ['ownership', 'routing'] as const) {
    const flag = `${record}VerifiedAt` as const;
    const isThere = after[flag] !== null;
    if ((before[flag] !== null) === isThere) continue;
    domain = { ...domain, [flag]: after[flag] };
    const values = seen[record];
    const details = { record, afterAll: after, ...(values && { seen: bounded(values) }) };
    if (isThere) await recordEvent(tx, 'record.seen', domain, at, details);
    else {
      const about = findings?.filter((finding) => finding.record === record);
      await recordEvent(tx, 'record.lost', domain, at, { ...details, findings: about });
    }
  }
}

const MAX_VALUES = 8;
const MAX_CHARACTERS = 255;

function bounded(values: string[]): string[] {
  return values.slice(0, MAX_VALUES).map((value) => value.slice(0, MAX_CHARACTERS));
}

export async function listDomainEvents(
  reader: Reader,
  workspaceId: string,
  domainId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Paged<DomainEvent>> {
  const rows = await reader.all(selectEvents, { workspaceId, domainId, before: seqOf(cursor), rows: limit + 1 });
  const items = rows.slice(0, limit).map(({ seq, data, ...event }) => ({ ...event, data: JSON.parse(data) }));
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { items, next: String(last.seq) } : { items };
}

/** Cursors are numbers of events; others are before all of them. */
function seqOf(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;
}

export async function findFailedAfter(reader: Reader, after: number, limit: number) {
  return reader.all(selectFailedAfter, { after, limit });
}

/** Whether the timeline, for as long as events are kept, says that the domain is or was verified. */
export async function wasVerified(reader: Reader, domainId: string): Promise<boolean> {
  return (await reader.one(selectVerification, { domainId })) !== null;
}

export async function pruneEvents(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.execute(deleteEvents, { before, limit });
}

const EVENT = ['id', 'domainId', 'workspaceId', 'type', 'data', 'actor'] as const;

interface NewEvent extends Pick<Schema['events'], (typeof EVENT)[number]> {
  at: number;
  /** Which webhooks subscribe to it (`subscriptionTo`). */
  subscription: string;
}

function insertEvent(db: Tables, p: NewEvent) {
  return db.insertInto('events').values({ ...pick(p, EVENT), createdAt: p.at });
}

/** Ids of the webhooks that are sent it, separated by commas; null: there is none. */
function insertEventReturning(db: Tables, p: NewEvent) {
  const ids = db
    .selectFrom(selectSubscribers(db, p).as('subscribers'))
    .select(sql<string | null>`string_agg(subscribers.id, ',')`.as('ids'));
  return insertEvent(db, p).returning(ids.as('webhookIds'));
}

function selectEvents(db: Tables, p: { workspaceId: string; domainId: string; before: number; rows: number }) {
  return db
    .selectFrom('events')
    .where('domainId', '=', p.domainId)
    .where('workspaceId', '=', p.workspaceId)
    .where('seq', '<', p.before)
    .orderBy('seq', 'desc')
    .limit(p.rows)
    .select(['seq', ...EVENT, 'createdAt']);
}

function selectVerification(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('events')
    .where('domainId', '=', p.domainId)
    .where('type', 'in', ['domain.verified', 'domain.drifted', 'domain.superseded'])
    .select('seq')
    .limit(1);
}

function selectFailedAfter(db: Tables, p: { after: number; limit: number }) {
  return db
    .selectFrom('events')
    .innerJoin('domains', 'domains.id', 'events.domainId')
    .where('events.createdAt', '>', p.after)
    .where('events.type', '=', sql.lit('domain.failed'))
    .where('domains.status', '=', sql.lit('failed'))
    .where('domains.updatedAt', '>', p.after)
    .limit(p.limit)
    .select(['domains.id', 'domains.workspaceId']);
}

function deleteEvents(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('events')
    .where('seq', 'in', (of) =>
      of.selectFrom('events').where('createdAt', '<', p.before).orderBy('createdAt').limit(p.limit).select('seq'),
    );
}
