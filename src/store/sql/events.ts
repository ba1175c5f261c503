import type { Domain } from '../../domain/domain.ts';
import type { DomainEvent, DomainEventData, DomainEventType } from '../contract/store.ts';
import type { Reader, Tables, Transaction } from './statement.ts';

/** Adds an event to the timeline: the domain, and its certificate where given, after the change. */
export async function recordEvent(
  tx: Transaction,
  type: DomainEventType,
  domain: Domain,
  at: number,
  certificate?: DomainEventData['certificate'],
): Promise<void> {
  const data: DomainEventData = {
    name: domain.name,
    environmentId: domain.environmentId,
    status: domain.status,
    routingVerified: domain.routingVerifiedAt !== null,
    ownershipVerified: domain.ownershipVerifiedAt !== null,
    verificationError: domain.verificationError,
    ...(certificate && { certificate }),
  };
  const { id: domainId, workspaceId } = domain;
  await tx.execute(insertEvent, { id: tx.newId('evt'), domainId, workspaceId, type, data: JSON.stringify(data), at });
}

export async function listEvents(reader: Reader, domainId: string): Promise<DomainEvent[]> {
  const rows = await reader.all(selectEvents, { domainId });
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

interface NewEvent {
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  data: string;
  at: number;
}

function insertEvent(db: Tables, p: NewEvent) {
  return db.insertInto('events').values({
    id: p.id,
    domain_id: p.domainId,
    workspace_id: p.workspaceId,
    type: p.type,
    data: p.data,
    created_at: p.at,
  });
}

function selectEvents(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('events')
    .where('domain_id', '=', p.domainId)
    .orderBy('seq')
    .select(['id', 'domain_id as domainId', 'workspace_id as workspaceId', 'type', 'data', 'created_at as createdAt']);
}
